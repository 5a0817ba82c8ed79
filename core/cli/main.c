#include <stdio.h>

int main(void)
{
    puts("crucible");
    return 0;
}
