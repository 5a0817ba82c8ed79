// SPDX-License-Identifier: Apache-2.0
/* nearest-mean: an item belongs to the class whose training mean is nearest. A method in C++.
 *
 *     mu_c = mean of x_i over training items with label c      logits_ic = -||x_i - mu_c||^2 / temperature
 *
 * The vtable's four functions are filled by hand here, because nothing is trained by gradient. No exception may cross
 * the boundary: each function ends it with a status. */
#include <cmath>
#include <exception>
#include <vector>

#include <crucible/crucible.h>

namespace
{

constexpr uint32_t problems = CRU_NODES | CRU_ANOMALY | CRU_ROWS;

struct settings {
    double temperature;
};

const cru_param schema[] = {
    CRU_FLOAT(settings, temperature, 1.0, 1e-6, 1e6, "divides the squared distances"),
    CRU_END,
};

class classifier
{
  public:
    classifier(const settings &s, const cru_task &task) : s_(s), task_(task)
    {
    }

    void fit()
    {
        const int64_t cols = task_.x.cols;
        means_.assign(static_cast<size_t>(task_.classes * cols), 0.0);
        std::vector<int64_t> sizes(static_cast<size_t>(task_.classes), 0);
        for (int64_t i = 0; i < task_.split.train.count; i++) {
            const int32_t item = task_.split.train.ids[i], label = task_.labels[item];
            if (label == CRU_UNLABELLED) continue;
            sizes[static_cast<size_t>(label)]++;
            add_row(item, &means_[static_cast<size_t>(label * cols)]);
        }
        for (int32_t c = 0; c < task_.classes; c++)
            for (int64_t j = 0; sizes[static_cast<size_t>(c)] > 0 && j < cols; j++)
                means_[static_cast<size_t>(c * cols + j)] /= static_cast<double>(sizes[static_cast<size_t>(c)]);
    }

    void predict(float *scores) const
    {
        const int64_t cols = task_.x.cols;
        std::vector<double> row(static_cast<size_t>(cols));
        for (int64_t i = 0; i < task_.items; i++) {
            row.assign(row.size(), 0.0);
            add_row(i, row.data());
            for (int32_t c = 0; c < task_.classes; c++) {
                double distance = 0;
                for (int64_t j = 0; j < cols; j++) {
                    const double d = row[static_cast<size_t>(j)] - means_[static_cast<size_t>(c * cols + j)];
                    distance += d * d;
                }
                scores[i * task_.classes + c] = static_cast<float>(-distance / s_.temperature);
            }
        }
    }

  private:
    void add_row(int64_t item, double *to) const
    {
        const cru_features &x = task_.x;
        if (x.dense) {
            for (int64_t j = 0; j < x.cols; j++) to[j] += x.dense[item * x.cols + j];
        } else if (x.sparse.offsets) {
            for (int64_t e = x.sparse.offsets[item]; e < x.sparse.offsets[item + 1]; e++)
                to[x.sparse.ids[e]] += x.sparse.values ? x.sparse.values[e] : 1.0;
        }
    }

    settings s_;
    const cru_task &task_;
    std::vector<double> means_;
};

struct instance {
    cru_ctx *ctx;
    classifier method;
};

/* Runs `work` and turns what it throws into a status. */
template <typename Work> cru_status guarded(cru_ctx *ctx, Work work)
{
    try {
        work();
        return CRU_OK;
    } catch (const std::bad_alloc &) {
        return cru_ctx_fail(ctx, CRU_NO_MEMORY, "no memory");
    } catch (const std::exception &problem) {
        return cru_ctx_fail(ctx, CRU_FAILED, "%s", problem.what());
    }
}

cru_status create(void **self, const cru_plugin *plugin, const void *settings_, const cru_task *task, cru_ctx *ctx)
{
    const cru_status status = cru_task_claim(task, plugin->problems, ctx);
    if (status != CRU_OK) return status;
    if (task->candidates) return cru_ctx_fail(ctx, CRU_UNSUPPORTED, "labels are candidate sets");
    return guarded(ctx, [&] {
        *self = new instance{ctx, classifier(*static_cast<const settings *>(settings_), *task)};
    });
}

cru_status fit(void *self, cru_monitor *)
{
    auto *i = static_cast<instance *>(self);
    return guarded(i->ctx, [&] { i->method.fit(); });
}

cru_status predict(void *self, float *scores)
{
    auto *i = static_cast<instance *>(self);
    return guarded(i->ctx, [&] { i->method.predict(scores); });
}

void destroy(void *self)
{
    delete static_cast<instance *>(self);
}

const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm),
    .create = create,
    .fit = fit,
    .predict = predict,
    .destroy = destroy,
};

} // namespace

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "nearest-mean",
    .version = "1.0",
    .summary = "the class whose training mean is nearest",
    .problems = problems,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
