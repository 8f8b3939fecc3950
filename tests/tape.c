// Plays a tape (tapes.py) with a game's library: tape LIBRARY TAPE.  Says how many calls there were, or what differs.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
static void *opened(const char *file) { return (void *)LoadLibraryA(file); }
static void *found(void *library, const char *name) { return (void *)GetProcAddress((HMODULE)library, name); }
static const char *why(void) { return "LoadLibrary refuses"; }
#else
#include <dlfcn.h>
static void *opened(const char *file) { return dlopen(file, RTLD_NOW); }
static void *found(void *library, const char *name) { return dlsym(library, name); }
static const char *why(void) { return dlerror(); }
#endif

typedef uint64_t u64;
enum { PUT = 1, CALL, EXPECT, ALMOST, GRAIN = 64, MOST = 1 << 16 };
static FILE *tape;
static struct { unsigned char *at; u64 size; } buffers[MOST];

static u64 word(void) {
  unsigned char read[8] = {0};
  if (fread(read, 1, 8, tape) != 8 && !feof(tape)) exit(2);
  u64 w = 0;
  for (int i = 7; i >= 0; i--) w = w << 8 | read[i];
  return w;
}

// Whether two words are the same or, as floats, differ by no more than one part in a billion.
static int alike(u64 one, u64 other, u64 how) {
  double a, b;
  memcpy(&a, &one, 8), memcpy(&b, &other, 8);
  double apart = a < b ? b - a : a - b, size = b < 0 ? -b : b;
  return one == other || (how == ALMOST && (apart < 1e-9 * (1 + size) || (a != a && b != b)));
}

// A buffer as it is written down; the caller frees it.
static unsigned char *content(u64 size) {
  unsigned char *into = calloc(size / GRAIN + 1, GRAIN);
  for (u64 spots = word(); spots; spots--) {
    u64 at = word();
    if (!into || at > size || fread(into + at, 1, GRAIN, tape) != GRAIN) exit(2);
  }
  return into;
}

int main(int n, char **said) {
  void *library = n == 3 ? opened(said[1]) : NULL;
  if (!library) return printf("%s: %s\n", n == 3 ? said[1] : "tape LIBRARY TAPE", n == 3 ? why() : ""), 2;
  if (!(tape = fopen(said[2], "rb"))) return printf("%s cannot be read\n", said[2]), 2;
  char name[GRAIN + 8] = "";
  u64 calls = 0;
  for (u64 what; (what = word()); ) {
    if (what == CALL) {
      u64 length = word(), words = word(), place = word(), gives = word(), given = word();
      memcpy(name, "packed_", 7);
      if (length >= GRAIN || fread(name + 7, 1, GRAIN, tape) != GRAIN) return 2;
      u64 *room = calloc(words + 1, 8);
      for (u64 i = 0; i < words; i++) {
        u64 is_buffer = word(), value = word();
        room[i] = is_buffer ? (u64)(uintptr_t)buffers[value].at : value;
      }
      int64_t (*entry)(u64 *) = (int64_t (*)(u64 *))found(library, name);
      if (!entry) return printf("there is no %s\n", name), 1;
      u64 went = (u64)entry(room);
      if (went != place || (gives && !alike(room[0], given, gives)))
        return printf("call %llu, %s: %llu, %llx instead of %llu, %llx\n", (unsigned long long)calls, name,
          (unsigned long long)went, (unsigned long long)room[0], (unsigned long long)place,
          (unsigned long long)given), 1;
      free(room);
      calls++;
      continue;
    }
    u64 number = word(), size = word();
    if (number >= MOST) return 2;
    unsigned char *here = content(size);
    if (what == PUT) {
      if (!buffers[number].at) buffers[number].at = calloc(size / GRAIN + 1, GRAIN);
      memcpy(buffers[number].at, here, size);
    } else {
      u64 is = 0, was = 0;
      for (u64 i = 0; i < size; i++)
        if (here[i] != buffers[number].at[i] && (what != ALMOST ||
            (memcpy(&is, buffers[number].at + i / 8 * 8, 8), memcpy(&was, here + i / 8 * 8, 8), !alike(is, was, ALMOST))))
          return printf("call %llu, %s: byte %llu of buffer %llu is %d instead of %d\n", (unsigned long long)calls - 1,
            name, (unsigned long long)i, (unsigned long long)number, buffers[number].at[i], here[i]), 1;
    }
    free(here);
  }
  return printf("%llu\n", (unsigned long long)calls), 0;
}
