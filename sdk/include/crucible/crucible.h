/* crucible.h: everything a plugin may use. Read plugin.h first, then train.h; the others as needed. */
#ifndef CRUCIBLE_H
#define CRUCIBLE_H

#include <crucible/arena.h>
#include <crucible/context.h>
#include <crucible/params.h>
#include <crucible/plugin.h>
#include <crucible/random.h>
#include <crucible/sparse.h>
#include <crucible/status.h>
#include <crucible/task.h>

#endif
