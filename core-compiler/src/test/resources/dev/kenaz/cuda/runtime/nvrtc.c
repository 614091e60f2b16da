/* An NVRTC whose cubins are shared objects for the driver beside it: the text is compiled by g++, behind
   the header that KENAZ_TEST_SHIM names (it has cpu_run), with a launcher for each kernel. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program { char *source, *log, *cubin; size_t logSize, cubinSize; };

static char *slurp(const char *file, size_t *n) {
  FILE *f = fopen(file, "rb");
  if (!f) { *n = 0; return calloc(1, 1); }
  fseek(f, 0, SEEK_END);
  *n = ftell(f);
  rewind(f);
  char *b = calloc(*n + 1, 1);
  if (fread(b, 1, *n, f) != *n) *n = 0;
  fclose(f);
  return b;
}
const char *nvrtcGetErrorString(int e) { return e == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR"; }
int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 2; return 0; }
int nvrtcGetSupportedArchs(int *a) { a[0] = 80; a[1] = 90; return 0; }
int nvrtcCreateProgram(struct program **p, const char *src, const char *name, int n, const char **h, const char **i) {
  (void)name; (void)n; (void)h; (void)i;
  *p = calloc(1, sizeof **p);
  (*p)->source = strdup(src);
  return 0;
}
int nvrtcDestroyProgram(struct program **p) { free((*p)->source); free((*p)->log); free((*p)->cubin); free(*p); return 0; }
/* From the driver's parameters, an array of pointers to values, to a call of the kernel. */
static const char *launcher =
    "#include <utility>\n#include <cstddef>\n"
    "template <auto k, class... A, size_t... I>\n"
    "static void call(void (*)(A...), void **p, std::index_sequence<I...>) { k(*(A *)p[I]...); }\n"
    "template <auto k> struct body;\n"
    "template <class... A, void (*k)(A...)> struct body<k> {\n"
    "  static void run(long long *, const long long *p) {\n"
    "    call<k>(k, (void **)p, std::make_index_sequence<sizeof...(A)>());\n"
    "  }\n"
    "};\n"
    "template <class T> struct sizes;\n"
    "template <class... A> struct sizes<void (*)(A...)> { unsigned char all[sizeof...(A) + 1] = {sizeof(A)..., 0}; };\n"
    "#define LAUNCHER(K) extern \"C\" void K##__launch(unsigned g, unsigned b, unsigned s, void **p) {\\\n"
    "  cpu_run(body<K>::run, true, g, b, s, 0, (const long long *)p); }\\\n"
    "  extern \"C\" { sizes<decltype(&K)> K##__parameters; }\n";

static void launchers(const char *source, FILE *f) {
  static const char start[] = "KZ_KERNEL void ";
  fputs(launcher, f);
  for (const char *k = source; (k = strstr(k, start)); ) {
    k += sizeof start - 1;
    fprintf(f, "LAUNCHER(%.*s)\n", (int)strcspn(k, "("), k);
  }
}

int nvrtcCompileProgram(struct program *p, int n, const char **options) {
  int architecture = 0;
  for (int i = 0; i < n; i++) architecture |= !strcmp(options[i], "--gpu-architecture=sm_90");
  if (!architecture) return 5;
  char dir[] = "/tmp/kenaz-nvrtc-XXXXXX", in[64], out[64], log[64], command[1024];
  if (!mkdtemp(dir)) return 1;
  snprintf(in, 64, "%s/k.cpp", dir);
  snprintf(out, 64, "%s/k.so", dir);
  snprintf(log, 64, "%s/k.log", dir);
  FILE *f = fopen(in, "w");
  const char *shim = getenv("KENAZ_TEST_SHIM");
  if (!shim) fputs("#define __global__\n", f);
  fputs(p->source, f);
  if (shim) launchers(p->source, f);
  fclose(f);
  snprintf(command, sizeof command, "g++ -w -O%s -fwrapv -ffp-contract=off -std=c++17 -shared -fPIC -pthread %s%s -o %s %s >%s 2>&1", getenv("KENAZ_TEST_O") ? getenv("KENAZ_TEST_O") : "0", shim ? "-include " : "",
           shim ? shim : "", out, in, log);
  int status = system(command);
  p->log = slurp(log, &p->logSize);
  p->cubin = slurp(out, &p->cubinSize);
  unlink(in); unlink(out); unlink(log); rmdir(dir);
  return status ? 6 : 0;
}
int nvrtcGetProgramLogSize(struct program *p, size_t *n) { *n = p->logSize + 1; return 0; }
int nvrtcGetProgramLog(struct program *p, char *b) { memcpy(b, p->log, p->logSize + 1); return 0; }
int nvrtcGetCUBINSize(struct program *p, size_t *n) { *n = p->cubinSize; return 0; }
int nvrtcGetCUBIN(struct program *p, char *b) { memcpy(b, p->cubin, p->cubinSize); return 0; }
