// Which kernel computes a product: a matter of the description and the GPU's target and size. Needs no GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/gemm/arguments.h"
#include "kernels/gemm/choice/grid.h"
#include "kernels/gemm/choice/parts.h"
#include "kernels/gemm/choice/tuned.h"
#include "kernels/gemm/configuration.h"
#include "kernels/library/element_type.h"
#include "kernels/wavesmith_gemm.h"

namespace wavesmith::kernels {

/// The types of A and B as the table of configurations names them: "bf16", "e4m3xe5m2".
std::string types_word(wavesmith_kernels_type a, wavesmith_kernels_type b);

/// What is to run for a product.
struct GemmChoice {
  /// A tile that has a kernel for the product, and what computing the product with it takes.
  struct Candidate {
    const GemmConfiguration* configuration = nullptr;
    int splits = 1;          ///< parts of K, which workgroups of their own sum up; kStreamed: see `share`
    GemmShare share{};       ///< of a streamed product
    int64_t workgroups = 0;  ///< of all batches and parts
    int64_t rounds = 0;      ///< of workgroups over the GPU, as many at once as share its compute units
    double cycles = 0;       ///< of the GPU (modelled)

    /// The tile's name, and behind a slash the parts: "64x64x64/8", "256x256x32/stream".
    [[nodiscard]] std::string name() const;
  };
  /// Given: whether a tile that was chosen before is taken again, of which alone there are candidates then.
  bool may_be_known = false;
  std::vector<Candidate> candidates;  ///< in the table's order
  const GemmConfiguration* configuration = nullptr;
  int splits = 1;
  std::string kernel;  ///< its name in the target's code object
  GemmProblem problem;
  bool is_tuned = false;      ///< the tuned table named the tile and parts
  GemmArguments arguments{};  ///< of the kernel: with several parts they are its batch
  GemmRowList rows_of_a{};    ///< of a grouped product
  int64_t batch_scale_b = 0;  ///< of a grouped product, as GemmRowGroupArguments has it
  GemmShare share{};          ///< of a streamed product, whose parts go to the workspace
  GemmGrid grid{};            ///< of a matrix of the batch
  int64_t batches = 1;
  std::string combine;              ///< the kernel that adds up parts; empty where there is one
  GemmCombineArguments combined{};  ///< its arguments
  size_t workspace_bytes = 0;       ///< for the parts
};

/// Whether a description keeps the rules that hold on every GPU. Nothing that it points to is read.
wavesmith_kernels_status check_gemm(const wavesmith_kernels_gemm_description& gemm);

/// Chooses for a description that was checked: the candidate of the name `wanted`, or with null the one that
/// `tuned` names for just this product, or else the one that takes fewest cycles on a GPU of that target with
/// so many compute units; of those whose parts the description's workspace holds. A tuned tile that cannot
/// read the matrices, which may not be aligned, is passed over.
wavesmith_kernels_status choose_gemm(const wavesmith_kernels_gemm_description& gemm, std::string_view target,
                                     int compute_units, const char* wanted, GemmChoice& choice,
                                     const TunedGemms* tuned = nullptr);
/// What of a product is gathered (gather.h): the mark of its tiles' types, "c" for A and "w" for B along
/// places; which depth they have at most; and the bytes that B comes from.
struct GemmGathers {
  std::string_view mark;
  int depth = 0;
  int64_t bytes = 0;
};
/// The same of a product of which that is gathered: where there is a kernel for it. The stride of what is
/// gathered is not read, and D lies by rows. Where B is gathered, A has M together in whole dwords.
wavesmith_kernels_status choose_gathered_gemm(const wavesmith_kernels_gemm_description& gemm,
                                              std::string_view target, int compute_units, GemmGathers gathers,
                                              GemmChoice& choice);

}  // namespace wavesmith::kernels
