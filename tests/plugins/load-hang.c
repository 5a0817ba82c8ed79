/* Never returns from its constructor. */
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    for (;;) pause();
}
