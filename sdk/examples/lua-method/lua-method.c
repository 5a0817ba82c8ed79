// SPDX-License-Identifier: Apache-2.0
/* lua-method: a perceptron written in Lua, inside a plugin. Shows how another runtime is embedded.
 *
 *     for every training item, in order:  c = argmax_k <w_k, x>      if c != y:  w_y += x,  w_c -= x
 *
 * The interpreter lives in the instance. The script sees plain tables (rows of features as {column = value}, labels,
 * training items) and gives back a function that scores a row; it has no libraries but math. A mistake in the script
 * is the trial's message. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <crucible/crucible.h>

enum { PROBLEMS = CRU_NODES | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    int64_t epochs;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, epochs, 10, 0, 100000, "passes over the training items"),
    CRU_END,
};

static const char script[] = "local w = {}\n"
                             "for c = 1, classes do w[c] = {} end\n"
                             "local function score(row, c)\n"
                             "    local sum = 0\n"
                             "    for j, v in pairs(row) do sum = sum + v * (w[c][j] or 0) end\n"
                             "    return sum\n"
                             "end\n"
                             "local function best(row)\n"
                             "    local at, top = 1, -math.huge\n"
                             "    for c = 1, classes do\n"
                             "        local s = score(row, c)\n"
                             "        if s > top then at, top = c, s end\n"
                             "    end\n"
                             "    return at\n"
                             "end\n"
                             "local function move(c, row, step)\n"
                             "    for j, v in pairs(row) do w[c][j] = (w[c][j] or 0) + step * v end\n"
                             "end\n"
                             "for _ = 1, epochs do\n"
                             "    for _, i in ipairs(train) do\n"
                             "        local c, y = best(rows[i]), labels[i]\n"
                             "        if c ~= y then move(y, rows[i], 1); move(c, rows[i], -1) end\n"
                             "    end\n"
                             "end\n"
                             "return score\n";

typedef struct instance {
    cru_ctx *ctx;
    const cru_task *task;
    const settings *settings;
    lua_State *lua;
} instance;

static cru_status create(void **self, const cru_plugin *plugin, const void *settings_, const cru_task *task,
                         cru_ctx *ctx)
{
    cru_status status = cru_task_claim(task, plugin->problems, ctx);
    if (status) return status;
    if (task->candidates) return cru_ctx_fail(ctx, CRU_UNSUPPORTED, "labels are candidate sets");
    instance *me = cru_ctx_alloc(ctx, 1, sizeof *me);
    *me = (instance){.ctx = ctx, .task = task, .settings = settings_, .lua = luaL_newstate()};
    if (!me->lua) return cru_ctx_fail(ctx, CRU_NO_MEMORY, "no memory for the interpreter");
    luaL_requiref(me->lua, "math", luaopen_math, 1);
    luaL_requiref(me->lua, "_G", luaopen_base, 1);
    lua_settop(me->lua, 0);
    *self = me;
    return CRU_OK;
}

/* ---- what the script sees; its indices count from 1 ------------------------------------------------------- */

static void push_row(lua_State *lua, const cru_features *x, int64_t item)
{
    lua_newtable(lua);
    for (int64_t j = 0; x->dense && j < x->cols; j++) {
        lua_pushnumber(lua, (lua_Number)x->dense[item * x->cols + j]);
        lua_rawseti(lua, -2, j + 1);
    }
    if (x->dense || !x->sparse.offsets) return;
    for (int64_t e = x->sparse.offsets[item]; e < x->sparse.offsets[item + 1]; e++) {
        lua_pushnumber(lua, x->sparse.values ? (lua_Number)x->sparse.values[e] : 1);
        lua_rawseti(lua, -2, x->sparse.ids[e] + 1);
    }
}

static void set_number(lua_State *lua, const char *name, int64_t value)
{
    lua_pushinteger(lua, value);
    lua_setglobal(lua, name);
}

static int fill_and_run(lua_State *lua)
{
    const instance *me = lua_touserdata(lua, 1);
    const cru_task *task = me->task;
    set_number(lua, "classes", task->classes);
    set_number(lua, "epochs", me->settings->epochs);
    lua_newtable(lua);
    for (int64_t i = 0; i < task->items; i++) {
        push_row(lua, &task->x, i);
        lua_rawseti(lua, -2, i + 1);
    }
    lua_setglobal(lua, "rows");
    lua_newtable(lua); /* labels */
    lua_newtable(lua); /* training items */
    for (int64_t i = 0, next = 1; i < task->split.train.count; i++) {
        const int32_t item = task->split.train.ids[i];
        if (task->labels[item] == CRU_UNLABELLED) continue;
        lua_pushinteger(lua, task->labels[item] + 1);
        lua_rawseti(lua, -3, item + 1);
        lua_pushinteger(lua, item + 1);
        lua_rawseti(lua, -2, next++);
    }
    lua_setglobal(lua, "train");
    lua_setglobal(lua, "labels");
    if (luaL_loadbufferx(lua, script, sizeof script - 1, "method", "t") != LUA_OK) return lua_error(lua);
    lua_call(lua, 0, 1);
    lua_setglobal(lua, "score");
    return 0;
}

static int read_scores(lua_State *lua)
{
    const instance *me = lua_touserdata(lua, 1);
    float *scores = lua_touserdata(lua, 2);
    lua_getglobal(lua, "score");
    lua_getglobal(lua, "rows");
    for (int64_t i = 0; i < me->task->items; i++)
        for (int32_t c = 0; c < me->task->classes; c++) {
            lua_pushvalue(lua, -2);
            lua_rawgeti(lua, -2, i + 1);
            lua_pushinteger(lua, c + 1);
            lua_call(lua, 2, 1);
            scores[i * me->task->classes + c] = (float)luaL_checknumber(lua, -1);
            lua_pop(lua, 1);
        }
    return 0;
}

/* ---- the vtable ------------------------------------------------------------------------------------------- */

/* Calls `work` under protection: an error of the interpreter comes back as a status with its message. */
static cru_status protected_call(instance *me, lua_CFunction work, float *scores)
{
    lua_pushcfunction(me->lua, work);
    lua_pushlightuserdata(me->lua, me);
    lua_pushlightuserdata(me->lua, scores);
    int code = lua_pcall(me->lua, 2, 0, 0);
    if (code == LUA_OK) return CRU_OK;
    return cru_ctx_fail(me->ctx, code == LUA_ERRMEM ? CRU_NO_MEMORY : CRU_FAILED, "%s", lua_tostring(me->lua, -1));
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    (void)monitor;
    return protected_call(self, fill_and_run, NULL);
}

static cru_status predict(void *self, float *scores)
{
    return protected_call(self, read_scores, scores);
}

static void destroy(void *self)
{
    lua_close(((instance *)self)->lua);
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = create, .fit = fit, .predict = predict, .destroy = destroy};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "lua-method",
    .version = "1.0",
    .summary = "a perceptron written in Lua",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
