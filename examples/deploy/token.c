/* Says what a small transformer says after a token, one token at a time. The keys and values of earlier tokens are two arrays that take
   turns: what a call reads is not what it writes. */
#include <stdio.h>
#include <stdlib.h>

#include "token.h"

#define LENGTH 24
#define WIDTH 16

static float keys[2][LENGTH][WIDTH], values[2][LENGTH][WIDTH], logits[32];

int main(int count, char **words) {
  int32_t token[1], position[1], next[1];
  token[0] = count > 1 ? atoi(words[1]) : 0;
  for (position[0] = 0; position[0] < LENGTH; position[0]++) {
    int now = position[0] % 2, then = !now;
    if (token_step(token, position, (const float(*)[WIDTH])keys[now], (const float(*)[WIDTH])values[now], next, logits, keys[then], values[then])) return 1;
    printf("%d ", (int)next[0]);
    token[0] = next[0];
  }
  printf("\n");
  return 0;
}
