/* The programs of arrays.fut as a C programmer would write them: one thread, loops, no intrinsics.
 *
 *     gcc -O3 -march=native -o arrays arrays.c -lm && ./arrays
 *
 * prints the median of nine runs of each, in milliseconds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int by_time(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

#define RUNS 9
#define BENCH(name, ...)                        \
  do {                                          \
    double times[RUNS];                         \
    for (int run = 0; run < RUNS; run++) {      \
      double start = now();                     \
      __VA_ARGS__;                              \
      times[run] = now() - start;               \
    }                                           \
    qsort(times, RUNS, sizeof *times, by_time); \
    printf("%-12s %9.2f\n", name, times[RUNS / 2]); \
    fflush(stdout);                             \
  } while (0)

volatile float sink;

static float *floats(long n) { return aligned_alloc(64, (n * 4 + 63) / 64 * 64); }

__attribute__((noinline)) static void mandelbrot(int *out, int h, int w, int limit) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float cx = (float)x / w * 3 - 2, cy = (float)y / h * 2 - 1, a = 0, b = 0;
      int i = 0;
      while (i < limit && a * a + b * b <= 4) {
        float t = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = t;
        i++;
      }
      out[y * w + x] = i;
    }
}

__attribute__((noinline)) static void nbody(int n, const float *x, const float *y, const float *z,
                                            const float *m, float *ax, float *ay, float *az) {
  for (int i = 0; i < n; i++) {
    float a = 0, b = 0, c = 0;
    for (int j = 0; j < n; j++) {
      float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
      float s = m[j] / (r2 * sqrtf(r2));
      a += dx * s;
      b += dy * s;
      c += dz * s;
    }
    ax[i] = a;
    ay[i] = b;
    az[i] = c;
  }
}

__attribute__((noinline)) static void mri_q(int n, int m, const float *x, const float *y,
                                            const float *z, const float *p, float *re, float *im) {
  for (int i = 0; i < n; i++) {
    float a = 0, b = 0;
    for (int j = 0; j < m; j++) {
      float e = 6.2831855f * (x[j] * x[i] + y[j] * y[i] + z[j] * z[i]);
      a += p[j] * cosf(e);
      b += p[j] * sinf(e);
    }
    re[i] = a;
    im[i] = b;
  }
}

__attribute__((noinline)) static void matmul(int n, const float *a, const float *b, float *c) {
  memset(c, 0, n * n * 4);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      float s = a[i * n + k];
      for (int j = 0; j < n; j++) c[i * n + j] += s * b[k * n + j];
    }
}

__attribute__((noinline)) static float *hotspot(int n, int steps, float *t, float *u) {
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        float c = t[i * n + j];
        float up = i > 0 ? t[(i - 1) * n + j] : c, down = i < n - 1 ? t[(i + 1) * n + j] : c;
        float left = j > 0 ? t[i * n + j - 1] : c, right = j < n - 1 ? t[i * n + j + 1] : c;
        u[i * n + j] = c + 0.1f * (up + down + left + right - 4 * c);
      }
    float *next = u;
    u = t;
    t = next;
  }
  return t;
}

__attribute__((noinline)) static int *pathfinder(int n, int m, const int *wall, int *r, int *s) {
  memcpy(r, wall, 4L * m);
  for (int i = 1; i < n; i++) {
    for (int j = 0; j < m; j++) {
      int c = r[j];
      if (j > 0 && r[j - 1] < c) c = r[j - 1];
      if (j < m - 1 && r[j + 1] < c) c = r[j + 1];
      s[j] = c + wall[(long)i * m + j];
    }
    int *next = s;
    s = r;
    r = next;
  }
  return r;
}

__attribute__((noinline)) static void tridag(int n, int m, const float *d, float *out, float *u) {
  for (int row = 0; row < n; row++) {
    float *y = out + (long)row * m;
    memcpy(y, d + (long)row * m, 4L * m);
    for (int i = 0; i < m; i++) u[i] = 4;
    for (int i = 1; i < m; i++) {
      float beta = 1 / u[i - 1];
      u[i] -= beta;
      y[i] -= beta * y[i - 1];
    }
    y[m - 1] /= u[m - 1];
    for (int i = m - 2; i >= 0; i--) y[i] = (y[i] - y[i + 1]) / u[i];
  }
}

__attribute__((noinline)) static int alignment(int n, int *t, const int *a, const int *b) {
  memset(t, 0, 4L * (n + 1) * (n + 1));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int s = t[i * (n + 1) + j] + (a[i] == b[j] ? 3 : -2);
      int up = t[i * (n + 1) + j + 1] - 2, left = t[(i + 1) * (n + 1) + j] - 2;
      if (up > s) s = up;
      if (left > s) s = left;
      t[(i + 1) * (n + 1) + j + 1] = s;
    }
  return t[(n + 1) * (n + 1) - 1];
}

static void programs(void) {
  int n = 16384;
  float *v[8];
  for (int k = 0; k < 8; k++) {
    v[k] = floats(n);
    for (int i = 0; i < n; i++) v[k][i] = (i * 7919L + (k + 1) * 104729L) % 1009 / 1009.f;
  }
  int *ints = malloc(4L * 1000 * 100000), *r = malloc(4L * 100000), *s = malloc(4L * 100000);
  BENCH("mandelbrot", mandelbrot(ints, 1000, 1000, 255));
  BENCH("nbody", nbody(4000, v[0], v[1], v[2], v[3], v[4], v[5], v[6]));
  BENCH("mri_q", mri_q(n, 1024, v[0], v[1], v[2], v[3], v[4], v[5]));
  float *a = floats(2000000), *b = floats(2000000), *c = floats(2000000);
  for (int i = 0; i < 2000000; i++) a[i] = b[i] = i % 101 / 101.f + 2;
  BENCH("matmul", matmul(512, a, b, c));
  BENCH("hotspot", hotspot(1024, 100, a, b));
  for (long i = 0; i < 1000L * 100000; i++) ints[i] = i % 10;
  BENCH("pathfinder", pathfinder(1000, 100000, ints, r, s));
  BENCH("tridag", tridag(2000, 1000, a, b, c));
  for (int i = 0; i < 2000; i++) r[i] = (i * i * 7 + i) % 4, s[i] = (i * i * 3 + i) % 4;
  BENCH("alignment", sink = alignment(2000, ints, r, s));
}

static void vectors(long n) {
  float *x = floats(n), *y = floats(n);
  for (long i = 0; i < n; i++) x[i] = i * 7919 % 1000003 / 1000003.f;
  BENCH("dot", {
    float s = 0;
    for (long i = 0; i < n; i++) s += x[i] * x[n - 1 - i];
    sink = s;
  });
  BENCH("prefix", {
    float s = 0;
    for (long i = 0; i < n; i++) y[i] = s += x[i];
    sink = y[7];
  });
  BENCH("keep", {
    long k = 0;
    for (long i = 0; i < n; i++) {
      y[k] = x[i];
      k += x[i] > 0.5f;
    }
    sink = y[k / 2];
  });
  BENCH("histogram", {
    float h[1000] = {0};
    for (long i = 0; i < n; i++) {
      int j = x[i] * 1000;
      if (j < 1000) h[j] += x[i];
    }
    sink = h[4];
  });
  BENCH("bell", {
    for (long i = 0; i < n; i++) y[i] = expf(-x[i] * x[i]);
    sink = y[3];
  });
  BENCH("largest", {
    long b = 0;
    float m = -INFINITY;
    for (long i = 0; i < n; i++)
      if (x[i] > m) m = x[i], b = i;
    sink = b;
  });
}

static void more_vectors(long n) {
  float *x = floats(n), *y = floats(n), *z = floats(n);
  double *d = malloc(8 * n);
  for (long i = 0; i < n; i++) x[i] = i * 7919 % 1000003 / 1000003.f;
  BENCH("counted", {
    long k = 0;
    for (long i = 0; i < n; i++) k += x[i] > 0.5f;
    sink = k;
  });
  BENCH("partitioned", {
    long k = 0, j = 0;
    for (long i = 0; i < n; i++) {
      y[k] = z[j] = x[i];
      k += x[i] > 0.5f;
      j += !(x[i] > 0.5f);
    }
    sink = y[k / 2] + z[j / 2];
  });
  BENCH("highest", {
    float h[1000];
    long at[1000];
    for (int j = 0; j < 1000; j++) h[j] = -INFINITY, at[j] = -1;
    for (long i = 0; i < n; i++) {
      int j = x[i] * 1000;
      if (j >= 0 && j < 1000 && x[i] > h[j]) h[j] = x[i], at[j] = i;
    }
    sink = h[4] + at[4];
  });
  BENCH("maths", {
    for (long i = 0; i < n; i++) {
      double v = x[i];
      d[i] = sin(v) * exp(-v) + log(1 + v) + pow(v, 1.5);
    }
    sink = d[7];
  });
  BENCH("chunk_sums", {
    for (long i = 0; i < n / 16; i++) {
      float s = 0;
      for (int k = 0; k < 16; k++) s += x[16 * i + k];
      y[i] = s;
    }
    sink = y[7];
  });
}

static int clamp(int n, int i) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

__attribute__((noinline)) static void blur(int n, const uint8_t *a, uint8_t *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int s = 0;
      for (int k = -1; k <= 1; k++)
        for (int l = -1; l <= 1; l++) s += a[clamp(n, i + k) * n + clamp(n, j + l)];
      b[i * n + j] = s / 9;
    }
}

static void points(long n) {
  int m = 2000;
  uint8_t *a = malloc(m * m), *b = malloc(m * m);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) a[i * m + j] = i * 31 + j * 17 + i * j;
  BENCH("blur", blur(m, a, b); sink = b[7]);
  float *p = floats(3 * n), *q = floats(3 * n), *c = floats(30);
  long *at = malloc(8 * n);
  for (long i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) p[3 * i + j] = (i * 31 + j * 17) % 101 / 101.f + 2;
  BENCH("normals", {
    for (long i = 0; i < n; i++) {
      float *x = p + 3 * i, length = sqrtf(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
      for (int k = 0; k < 3; k++) q[3 * i + k] = x[k] / length;
    }
    sink = q[7];
  });
  static const float t[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 10}};
  BENCH("turned", {
    for (long i = 0; i < n; i++)
      for (int r = 0; r < 3; r++) {
        float s = 0;
        for (int k = 0; k < 3; k++) s += t[r][k] * p[3 * i + k];
        q[3 * i + r] = s;
      }
    sink = q[7];
  });
  memcpy(c, p, 4 * 30);
  BENCH("nearest", {
    for (long i = 0; i < n; i++) {
      float least = INFINITY;
      for (int j = 0; j < 10; j++) {
        float s = 0;
        for (int k = 0; k < 3; k++) {
          float e = p[3 * i + k] - c[3 * j + k];
          s += e * e;
        }
        if (s < least) least = s, at[i] = j;
      }
    }
    sink = at[7];
  });
  BENCH("steps", {
    float x[100];
    for (int k = 0; k < 100; k++) x[k] = p[k];
    for (int i = 0; i < 100000; i++) {
      float s = 0;
      for (int k = 0; k < 100; k++) s += x[k];
      for (int k = 0; k < 100; k++) x[k] = (x[k] + 0.001f * (s - x[k])) / 2;
    }
    sink = x[7];
  });
}

static void matrices(int n) {
  float *a = floats((long)n * n), *b = floats((long)n * n);
  for (long i = 0; i < (long)n * n; i++) a[i] = i % 97;
  BENCH("row_sums", {
    for (int i = 0; i < n; i++) {
      float s = 0;
      for (int j = 0; j < n; j++) s += a[(long)i * n + j];
      b[i] = s;
    }
    sink = b[7];
  });
  BENCH("column_sums", {
    memset(b, 0, 4L * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) b[j] += a[(long)i * n + j];
    sink = b[7];
  });
  BENCH("transposed", {
    for (int block = 0; block < n; block += 16)
      for (int j = 0; j < n; j++)
        for (int i = block; i < block + 16; i++) b[(long)j * n + i] = a[(long)i * n + j] + 1;
    sink = b[7];
  });
}

int main(void) {
  programs();
  vectors(10000000);
  matrices(4000);
  more_vectors(10000000);
  points(1000000);
}
