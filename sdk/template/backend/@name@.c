/* @name@: TODO one line: the device.
 *
 * A backend is the table of kernels that all operators call (backend.h says what each must do). As it stands this one
 * takes the CPU's table and puts a kernel of its own in one place; replace them one by one, and run
 *
 *     gcc -O2 -shared -fPIC @name@.c -o @name@.so $(pkg-config --cflags --libs crucible)
 *     crucible check ./@name@.so && crucible run @name@.ini       # runs the same trials on the CPU, too
 */
#include <crucible/crucible.h>

static cru_backend table; /* filled below, before anybody can look at it */

/* TODO y = act(x), element by element. Functions that this kernel does not know go to the CPU's. */
static void unary(cru_device *device, cru_unary op, const cru_unary_args *args)
{
    if (op != CRU_UNARY_RELU) {
        cru_backend_cpu()->unary(device, op, args);
        return;
    }
    for (int64_t i = 0; i < args->n; i++) args->y[i] = args->x[i] > 0 ? args->x[i] : 0;
}

/* TODO kernels of your own; with memory that is not the CPU's, all of them, with alloc, upload and download. */
__attribute__((constructor)) static void fill_table(void)
{
    table = *cru_backend_cpu();
    table.size = sizeof table;
    table.name = "@name@";
    table.unary = unary;
}

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_BACKEND),
    .name = "@name@",
    .version = "0.1",
    .summary = "the CPU with a kernel of its own",
    .authors = NULL,  /* TODO */
    .citation = NULL, /* TODO */
    .license = NULL,  /* TODO */
    .vtable = &table,
};
