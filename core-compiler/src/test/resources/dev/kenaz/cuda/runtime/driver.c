/* A CUDA driver whose devices are this processor. Its modules are shared objects; a kernel k is called
   as k__launch(blocks, threads, shared, parameters), k__parameters are their sizes, ended by 0, and
   k__shared, if it is there, the bytes of shared memory that its text asks for. What JCuda's binding
   needs of a driver, this one has, so all that Kenaz does with a driver can be run without a GPU.

   As on a GPU, what is put into a stream is done later: here as late as can be, when somebody waits for
   it. A context is current on a thread; memory and streams belong to a context; a fault stays. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef unsigned long long ptr;
#ifndef INIT
#define INIT 0
#endif
#ifndef COUNT
#define COUNT 1
#endif
#ifndef VERSION
#define VERSION 13000
#endif
#ifndef MODE
#define MODE 0
#endif

enum { DEVICES = 8, INVALID = 1, NO_MEMORY = 2, NO_CONTEXT = 201, BAD_HANDLE = 400 };
enum { MOST_SHARED = 232448, ORDINARY_SHARED = 48 << 10, PARAMETER_BYTES = 4096 };

typedef void launcher(unsigned, unsigned, unsigned, void **);
struct operation {
  struct operation *next;
  enum { TO_DEVICE, FROM_DEVICE, ON_DEVICE, FILL, LAUNCH } kind;
  void *to;
  const void *from;
  size_t bytes;
  int value;
  launcher *kernel;
  unsigned blocks, threads, shared;
  void *parameters[512];
  char content[PARAMETER_BYTES];
};
struct context {
  int device, retained, sticky, live;
  size_t used;
  struct operation *first, *last;
  long put, done; /* operations */
};
struct event { struct context *context; long at; };
struct block { struct context *context; size_t bytes; };
struct pinned { char *start; size_t bytes; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context contexts[DEVICES];
static __thread struct context *current;
static size_t limit = (size_t)1 << 31;
static struct pinned pinned[64];
static int failure;     /* what the next operation of a stream fails with */
static char failing[64]; /* which function fails, */
static int failsWith, failsAfter; /* with what, after so many calls that don't */

/* If the file that KENAZ_TEST_FAULT names is there, the process that removes it loses its device, by
   the status in the file. */
static void fault_of_environment(void) {
  const char *name = getenv("KENAZ_TEST_FAULT");
  FILE *file = name ? fopen(name, "r") : 0;
  int status = 0;
  if (!file) return;
  if (fscanf(file, "%d", &status) == 1 && !unlink(name) && current) current->sticky = status;
  fclose(file);
}
static int begin(const char *function) {
  pthread_mutex_lock(&lock);
  if (!strcmp(function, "cuLaunchKernel")) fault_of_environment();
  if (!strcmp(failing, function) && failsAfter-- == 0) {
    failing[0] = 0;
    return failsWith;
  }
  return 0;
}
static int end(int status) {
  pthread_mutex_unlock(&lock);
  return status;
}
/* the rest of a function is done if its test of the state ends well */
#define BEGIN(CHECK)                     \
  int status = begin(__func__);          \
  if (status == 0) status = (CHECK);     \
  if (status != 0) return end(status)
static int free_of_faults(void) { return !current || !current->live ? NO_CONTEXT : current->sticky; }
static int stream_of(void *s) {
  int status = free_of_faults();
  return status ? status : s != current ? BAD_HANDLE : 0;
}
static struct block *block_of(ptr p) { return (struct block *)(p - 256); }
static int is_pinned(const void *p) {
  for (int i = 0; i < 64; i++)
    if ((const char *)p >= pinned[i].start && (const char *)p < pinned[i].start + pinned[i].bytes) return 1;
  return 0;
}

static void perform(struct context *c, struct operation *o) {
  if (failure) { c->sticky = failure >= 700 && failure < 720 ? failure : 0; }
  if (failure) return;
  switch (o->kind) {
    case TO_DEVICE: case FROM_DEVICE: case ON_DEVICE: memcpy(o->to, o->from, o->bytes); break;
    case FILL: memset(o->to, o->value, o->bytes); break;
    case LAUNCH: o->kernel(o->blocks, o->threads, o->shared, o->parameters); break;
  }
}
/* Does what comes before the place in the stream. */
static int wait(struct context *c, long until) {
  while (c->done < until && !c->sticky) {
    struct operation *o = c->first;
    perform(c, o);
    c->first = o->next;
    if (!c->first) c->last = 0;
    free(o);
    c->done++;
    if (failure) {
      int f = failure;
      failure = 0;
      return f;
    }
  }
  return c->sticky;
}
static struct operation *put(int kind) {
  struct operation *o = calloc(1, sizeof *o);
  o->kind = kind;
  if (current->last) current->last->next = o; else current->first = o;
  current->last = o;
  current->put++;
  return o;
}
static void copy(int kind, void *to, const void *from, size_t bytes) {
  struct operation *o = put(kind);
  o->to = to;
  o->from = from;
  o->bytes = bytes;
  int foreign = (kind == TO_DEVICE && !is_pinned(from)) || (kind == FROM_DEVICE && !is_pinned(to));
  if (foreign) wait(current, current->put); /* ordinary memory is copied at once */
}

int cuDriverGetVersion(int *v) { *v = VERSION; return 0; }
int cuInit(unsigned flags) { BEGIN(flags ? INVALID : INIT); return end(0); }
/* The machine of Spark whose address KENAZ_TEST_NO_DEVICE names has no device. */
int cuDeviceGetCount(int *n) {
  const char *without = getenv("KENAZ_TEST_NO_DEVICE"), *here = getenv("SPARK_LOCAL_IP");
  *n = without && here && !strcmp(without, here) ? 0 : COUNT;
  return 0;
}
int cuDeviceGet(int *d, int i) {
  BEGIN(i < 0 || i >= COUNT ? 101 : 0);
  *d = i;
  return end(0);
}
int cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "processor %d", d); return 0; }
/* Device d is the (COUNT - d)th on the bus; a divided device is the instance that the environment names. */
int cuDeviceGetUuid_v2(unsigned char *id, int d) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  for (int i = 0; i < 16; i++) {
    unsigned byte = 16 * d + i;
    if (visible && !strncmp(visible, "MIG-", 4)) sscanf(visible + 4 + 2 * i + (i > 3) + (i > 5) + (i > 7) + (i > 9), "%2x", &byte);
    id[i] = byte;
  }
  return 0;
}
int cuDeviceGetPCIBusId(char *s, int n, int d) { snprintf(s, n, "0000:%02X:00.0", COUNT - d); return 0; }
int cuDeviceTotalMem_v2(size_t *n, int d) { (void)d; *n = limit; return 0; }
int cuDeviceGetAttribute(int *v, int which, int d) {
  switch (which) {
    case 75: *v = d == 1 ? 5 : 9; break;
    case 16: *v = 132; break;
    case 20: *v = MODE; break;
    case 97: *v = MOST_SHARED; break;
    default: *v = 0;
  }
  return 0;
}
int cuDevicePrimaryCtxRetain(struct context **c, int d) {
  BEGIN(0);
  *c = &contexts[d];
  if (contexts[d].retained++ == 0) contexts[d] = (struct context){.device = d, .retained = 1, .live = 1};
  return end(0);
}
int cuDevicePrimaryCtxRelease_v2(int d) {
  BEGIN(0);
  contexts[d].live = --contexts[d].retained > 0;
  return end(0);
}
int cuCtxSetCurrent(struct context *c) { BEGIN(0); current = c; return end(0); }
int cuCtxSetLimit(int which, size_t n) { BEGIN(free_of_faults()); return end(which == 2 && n > 0 ? 0 : INVALID); }
int cuStreamCreate(void **s, unsigned flags) {
  BEGIN(free_of_faults());
  *s = current;
  return end(flags == 1 ? 0 : INVALID);
}
int cuStreamDestroy_v2(void *s) { BEGIN(stream_of(s)); return end(0); }
int cuStreamSynchronize(void *s) { BEGIN(stream_of(s)); return end(wait(current, current->put)); }
int cuEventCreate(struct event **e, unsigned flags) {
  (void)flags;
  BEGIN(free_of_faults());
  *e = calloc(1, sizeof **e);
  (*e)->context = current;
  return end(0);
}
int cuEventRecord(struct event *e, void *s) {
  BEGIN(stream_of(s));
  if (e->context != current) return end(BAD_HANDLE);
  e->at = current->put;
  return end(0);
}
int cuEventSynchronize(struct event *e) { BEGIN(free_of_faults()); return end(wait(e->context, e->at)); }
// As if each operation of the stream took a millisecond.
int cuEventElapsedTime(float *milliseconds, struct event *start, struct event *end_) {
  BEGIN(free_of_faults());
  *milliseconds = (float)(end_->at - start->at);
  return end(0);
}
int cuEventDestroy_v2(struct event *e) { BEGIN(free_of_faults()); free(e); return end(0); }
int cuMemHostAlloc(void **p, size_t n, unsigned flags) {
  (void)flags;
  BEGIN(free_of_faults());
  for (int i = 0; i < 64; i++)
    if (!pinned[i].start) {
      pinned[i] = (struct pinned){aligned_alloc(4096, n), n};
      *p = pinned[i].start;
      return end(0);
    }
  return end(NO_MEMORY);
}
int cuMemFreeHost(void *p) {
  BEGIN(free_of_faults());
  for (int i = 0; i < 64; i++)
    if (pinned[i].start == p) {
      memset(p, 0xee, pinned[i].bytes); /* nothing may be on its way to it, or from it */
      free(p);
      pinned[i].start = 0;
      return end(0);
    }
  return end(INVALID);
}
int cuMemGetInfo_v2(size_t *f, size_t *t) {
  BEGIN(free_of_faults());
  *f = limit - current->used;
  *t = limit;
  return end(0);
}
int cuMemAlloc_v2(ptr *p, size_t n) {
  BEGIN(free_of_faults());
  if (n == 0) return end(INVALID);
  if (current->used + n > limit) return end(NO_MEMORY);
  char *b = aligned_alloc(256, (n + 511) / 256 * 256);
  if (!b) return end(NO_MEMORY);
  *(struct block *)b = (struct block){current, n};
  current->used += n;
  *p = (ptr)b + 256;
  memset(b + 256, 0xcd, n);
  return end(0);
}
int cuMemFree_v2(ptr p) {
  BEGIN(free_of_faults());
  if (block_of(p)->context != current) return end(INVALID);
  if (current->done < current->put) return end(INVALID); /* it may still be used */
  current->used -= block_of(p)->bytes;
  memset((void *)p, 0xdd, block_of(p)->bytes);
  free((char *)p - 256);
  return end(0);
}
int cuMemcpyHtoDAsync_v2(ptr d, const void *s, size_t n, void *q) {
  BEGIN(stream_of(q));
  copy(TO_DEVICE, (void *)d, s, n);
  return end(0);
}
int cuMemcpyDtoHAsync_v2(void *d, ptr s, size_t n, void *q) {
  BEGIN(stream_of(q));
  copy(FROM_DEVICE, d, (void *)s, n);
  return end(0);
}
int cuMemcpyDtoDAsync_v2(ptr d, ptr s, size_t n, void *q) {
  BEGIN(stream_of(q));
  copy(ON_DEVICE, (void *)d, (void *)s, n);
  return end(0);
}
int cuMemsetD8Async(ptr d, unsigned char v, size_t n, void *q) {
  BEGIN(stream_of(q));
  struct operation *o = put(FILL);
  o->to = (void *)d;
  o->value = v;
  o->bytes = n;
  return end(0);
}

/* The length of an ELF image is not given: the section headers are its end. */
static size_t elf_size(const unsigned char *e) {
  if (memcmp(e, "\177ELF", 4)) return 0;
  return *(const size_t *)(e + 40) + (size_t)*(const unsigned short *)(e + 58) * *(const unsigned short *)(e + 60);
}
int cuModuleLoadData(void **module, const void *image) {
  BEGIN(free_of_faults());
  size_t n = elf_size(image);
  if (!n) return end(200);
  int f = memfd_create("module", 0);
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", f);
  if (write(f, image, n) != (ssize_t)n) return end(999);
  *module = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  /* the file stays open: the loader takes one name for one library */
  if (!*module) { fprintf(stderr, "%s\n", dlerror()); return end(200); }
  return end(0);
}
int cuModuleUnload(void *m) {
  BEGIN(free_of_faults());
  if (current->done < current->put) return end(INVALID); /* a kernel of it may still run */
  dlclose(m);
  return end(0);
}

struct function { launcher *launch; const unsigned char *parameters; unsigned shared, most; };
int cuModuleGetFunction(struct function **f, void *m, const char *name) {
  BEGIN(free_of_faults());
  char symbol[600];
  snprintf(symbol, sizeof symbol, "%s__launch", name);
  launcher *launch = (launcher *)dlsym(m, symbol);
  snprintf(symbol, sizeof symbol, "%s__parameters", name);
  const unsigned char *parameters = dlsym(m, symbol);
  snprintf(symbol, sizeof symbol, "%s__shared", name);
  const unsigned *shared = dlsym(m, symbol);
  if (!launch || !parameters) return end(500);
  *f = calloc(1, sizeof **f);
  **f = (struct function){launch, parameters, shared ? *shared : 0, 0};
  return end(0);
}
int cuFuncGetAttribute(int *v, int which, struct function *f) {
  BEGIN(free_of_faults());
  *v = f->shared;
  return end(which == 1 ? 0 : INVALID);
}
int cuFuncSetAttribute(struct function *f, int which, int v) {
  BEGIN(free_of_faults());
  if (which != 8 || v < 0 || v + f->shared > MOST_SHARED) return end(INVALID);
  f->most = v;
  return end(0);
}
int cuLaunchKernel(struct function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *s, void **parameters, void **extra) {
  BEGIN(stream_of(s));
  if (gx < 1 || gx > 0x7fffffff || gy != 1 || gz != 1 || bx < 1 || bx > 1024 || by != 1 || bz != 1) return end(INVALID);
  if (extra || (shared + f->shared > ORDINARY_SHARED && shared > f->most)) return end(INVALID);
  struct operation *o = put(LAUNCH);
  o->kernel = f->launch;
  o->blocks = gx;
  o->threads = bx;
  o->shared = shared;
  size_t at = 0;
  for (int i = 0; f->parameters[i]; i++) { /* they are copied when the kernel is launched */
    size_t n = f->parameters[i];
    at = (at + n - 1) / n * n;
    if (at + n > PARAMETER_BYTES || i >= 512) return end(701);
    memcpy(o->content + at, parameters[i], n);
    o->parameters[i] = o->content + at;
    at += n;
  }
  return end(0);
}
int cuGetErrorName(int e, const char **s) { (void)e; *s = "an error"; return 0; }
int cuGetErrorString(int e, const char **s) { (void)e; *s = "an error"; return 0; }

/* for tests */
void testLimit(size_t bytes) { limit = bytes; }
void testFailure(int status) { failure = status; }
void testFailing(const char *function, int with, int after) {
  snprintf(failing, sizeof failing, "%s", function);
  failsWith = with;
  failsAfter = after;
}
void testReset(void) { memset(contexts, 0, sizeof contexts); failure = 0; failing[0] = 0; }
size_t testUsed(void) { size_t n = 0; for (int d = 0; d < DEVICES; d++) n += contexts[d].used; return n; }
