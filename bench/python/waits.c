// Counts the processor time of the calling thread within HIP's functions that wait, copies between the device and
// pageable memory among them: there it may run kernels itself. Preloaded by waits.py.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static __thread double waited;
static __thread long count;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double waits_seconds(void) { return waited; }
long waits_count(void) { return count; }

#define WAITS(name, parameters, ...)                                    \
  int name parameters {                                                 \
    static int(*next) parameters;                                       \
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, #name);                \
    const double begin = now();                                         \
    const int status = next(__VA_ARGS__);                               \
    waited += now() - begin, ++count;                                   \
    return status;                                                      \
  }

WAITS(hipStreamSynchronize, (void* stream), stream)
WAITS(hipEventSynchronize, (void* event), event)
WAITS(hipDeviceSynchronize, (void), )

// The first member of what HIP tells of an address; device memory is 2.
static int is_device(const void* address) {
  int attributes[32] = {0};
  static int (*ask)(void*, const void*);
  if (!ask) *(void**)&ask = dlsym(RTLD_NEXT, "hipPointerGetAttributes");
  return ask(attributes, address) == 0 && attributes[0] == 2;
}

int hipMemcpyAsync(void* to, const void* from, unsigned long bytes, int kind, void* stream) {
  static int (*next)(void*, const void*, unsigned long, int, void*);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "hipMemcpyAsync");
  double begin = now();
  const int waits = !is_device(to) || !is_device(from);
  if (!waits) waited += now() - begin;
  const int status = next(to, from, bytes, kind, stream);
  if (waits) waited += now() - begin;
  return status;
}
