/* Reads a picture (PPM, 32x32 pixels) and says which colour it is mostly: ./classifier picture.ppm */
#include <stdio.h>

#include "classifier.h"

static uint8_t pixels[32][32][3];

int main(int count, char **words) {
  static const char *const names[3] = {"red", "green", "blue"};
  int width, height, most;
  float scores[3];
  int32_t best[1];
  FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
  if (!file || fscanf(file, "P6 %d %d %d", &width, &height, &most) != 3 || fgetc(file) == EOF) return fprintf(stderr, "a PPM picture expected\n"), 1;
  if (width != 32 || height != 32 || most != 255) return fprintf(stderr, "32x32 pixels of 3 bytes expected\n"), 1;
  if (fread(pixels, 1, sizeof pixels, file) != sizeof pixels) return fprintf(stderr, "the picture ends early\n"), 1;
  fclose(file);
  if (classifier_classify((const uint8_t(*)[32][3])pixels, scores, best)) return fprintf(stderr, "the program has failed\n"), 1;
  printf("%s (%.4f %.4f %.4f)\n", names[best[0]], scores[0], scores[1], scores[2]);
  return 0;
}
