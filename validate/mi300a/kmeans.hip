// Which of the clusters each point is nearest to; features lie point beside point.
#include "benchmark.h"

#include <cfloat>

__global__ void assign(float* features, float* clusters, int* nearest, int points, int cluster_count,
                       int feature_count) {
  const unsigned point = blockDim.x * blockIdx.x + threadIdx.x;
  int index = 0;
  if (point < static_cast<unsigned>(points)) {
    float least = FLT_MAX;
    for (int cluster = 0; cluster < cluster_count; ++cluster) {
      float distance = 0;
      for (int i = 0; i < feature_count; ++i) {
        const float difference = features[i * points + point] - clusters[cluster * feature_count + i];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        index = cluster;
      }
    }
    nearest[point] = index;
  }
}

int main(int argc, char** argv) {
  const bench::Options options(argc, argv);
  const int points = static_cast<int>(options.value("--points", 1024)),
            features = static_cast<int>(options.value("--features", 32)),
            clusters = static_cast<int>(options.value("--clusters", 5));
  const bench::Buffer<float> values(size_t{1} * points * features), centres(size_t{1} * clusters * features);
  const bench::Buffer<int> nearest(points);
  values.fill(0, 100), centres.fill(0, 100);
  const std::string size =
      "pts" + std::to_string(points) + "_feat" + std::to_string(features) + "_clus" + std::to_string(clusters);
  bench::measure("kmeans", size, options.iterations(), [&] {
    assign<<<bench::blocks_for(points, 256), 256>>>(values.data(), centres.data(), nearest.data(), points, clusters,
                                                    features);
  });
}
