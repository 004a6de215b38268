// A control loop without heap: a filter follows a position that is measured with noise.
#include <cstdio>

#include "kalman.h"

namespace {

struct Filter {
  float state[2] = {0, 0};
  float covariance[2][2] = {{1, 0}, {0, 1}};

  bool update(float measured) {
    const float input[1] = {measured};
    float state_after[2], covariance_after[2][2];
    if (kalman_step(state, covariance, input, state_after, covariance_after) != KALMAN_OK) return false;
    for (int i = 0; i < 2; i++) {
      state[i] = state_after[i];
      for (int j = 0; j < 2; j++) covariance[i][j] = covariance_after[i][j];
    }
    return true;
  }
};

float noise() {  // a small generator: the same numbers everywhere
  static unsigned seed = 1;
  seed = seed * 1664525u + 1013904223u;
  return static_cast<float>(seed >> 8) / 16777216.0f - 0.5f;
}

}  // namespace

int main() {
  Filter filter;
  for (int step = 0; step < 200; step++) {
    const float truth = 0.1f * static_cast<float>(step + 1) * 1.5f;  // moves by 1.5 a second
    if (!filter.update(truth + noise())) return 1;
  }
  std::printf("position %.3f (30.000), velocity %.3f (1.500)\n", static_cast<double>(filter.state[0]), static_cast<double>(filter.state[1]));
  return 0;
}
