// Operations of attention, and of recurrent states in its place.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/attention.h"
#include "model/operations/rows.h"

namespace wavesmith::model {
namespace {

using Kind = Parameter::Kind;

OperationPrediction with_workgroups(AttentionPrediction got, std::string_view tile) {
  OperationPrediction predicted{got, {}};
  predicted.facts = {
      {std::string(tile), fmt::format("{:.0f}", got.tile)},
      {"workgroups", fmt::format("{:.0f} in {:.2f} rounds", got.workgroups, got.rounds)},
  };
  return predicted;
}

Result<OperationPrediction> attention(const gpus::Gpu& gpu, const Arguments& arguments,
                                      const Conditions& conditions) {
  AttentionProblem problem{.batch = arguments.size("batch"),
                           .heads = arguments.size("heads"),
                           .queries = arguments.size("queries"),
                           .head_size = arguments.size("head-size"),
                           .causal = arguments.on("causal"),
                           .backward = arguments.on("backward"),
                           .atomic_f32 = arguments.on("atomic-f32"),
                           .type = arguments.type("dtype"),
                           .kernel = *attention_kernel(arguments.text("kernel"))};
  problem.kv_heads = arguments.size("kv-heads") > 0 ? arguments.size("kv-heads") : problem.heads;
  problem.keys = arguments.size("keys") > 0 ? arguments.size("keys") : problem.queries;
  problem.value_size = arguments.size("value-size") > 0 ? arguments.size("value-size") : problem.head_size;
  Result<AttentionPrediction> got = predict_attention(gpu, problem, conditions);
  if (!got) return tl::unexpected(got.error());
  return with_workgroups(std::move(*got), "rows a workgroup");
}

Result<OperationPrediction> decode_with(const gpus::Gpu& gpu, const Arguments& arguments,
                                        const Conditions& conditions, bool latent) {
  DecodeProblem problem{.batch = arguments.size("batch"),
                        .heads = arguments.size("heads"),
                        .context = arguments.size("context"),
                        .queries = arguments.size("queries"),
                        .latent = latent,
                        .splits = arguments.size("splits"),
                        .type = arguments.type("dtype")};
  if (latent) {
    problem.kv_heads = 1;
    problem.head_size = arguments.size("latent-size") + arguments.size("rotary-size");
    problem.value_size = arguments.size("latent-size");
  } else {
    problem.kv_heads = arguments.size("kv-heads");
    problem.head_size = problem.value_size = arguments.size("head-size");
    if (arguments.given("page")) problem.page = arguments.size("page");
    if (problem.kv_heads > problem.heads || std::fmod(problem.heads, problem.kv_heads) != 0)
      return fail(ErrorKind::BadInput,
                  fmt::format("{} heads cannot share {} heads of K and V", problem.heads, problem.kv_heads),
                  {}, "the heads are a multiple of the KV heads");
  }
  Result<AttentionPrediction> got = predict_decode(gpu, problem, conditions);
  if (!got) return tl::unexpected(got.error());
  return with_workgroups(std::move(*got), "tokens a workgroup");
}

Result<OperationPrediction> decode(const gpus::Gpu& gpu, const Arguments& arguments,
                                   const Conditions& conditions) {
  return decode_with(gpu, arguments, conditions, false);
}

Result<OperationPrediction> mla(const gpus::Gpu& gpu, const Arguments& arguments,
                                const Conditions& conditions) {
  return decode_with(gpu, arguments, conditions, true);
}

Result<OperationPrediction> delta_rule(const gpus::Gpu& gpu, const Arguments& arguments,
                                       const Conditions& conditions) {
  return plain(predict_recurrent(
      gpu,
      {.batch = arguments.size("batch"),
       .heads = arguments.size("heads"),
       .key_heads = arguments.size("key-heads") > 0 ? arguments.size("key-heads") : arguments.size("heads"),
       .key_size = arguments.size("key-size"),
       .value_size = arguments.size("value-size"),
       .tokens = arguments.size("tokens"),
       .type = arguments.type("dtype"),
       .state = arguments.type("state-dtype")},
      conditions));
}

Operation about_attention() {
  return {
      "attention",
      "softmax(Q K^T) V, forward and backward",
      {{"batch", "sequences", Kind::Size, "1"},
       {"heads", "of Q"},
       {"kv-heads", "of K and V; 0: as many", Kind::Size, "0"},
       {"queries", "tokens of a sequence", Kind::Size, "", {}, "length"},
       {"keys", "tokens that are looked at; 0: as many", Kind::Size, "0"},
       {"head-size", "of Q and K", Kind::Size, "128"},
       {"value-size", "of V; 0: as of K", Kind::Size, "0"},
       kType,
       {"causal", "no token looks ahead", Kind::Switch, ""},
       kBackward,
       {"atomic-f32", "backward: dQ is summed in f32", Kind::Switch, ""},
       {"kernel", "whose kernel", Kind::Choice, "aiter", "aiter hipkittens opus ck triton torch tilelang"}},
      "--heads 64 --kv-heads 8 --length 8192 --causal --gpu mi300x,mi355x,h100\n"
      "--batch 4 --heads 32 --length 1024:65536:*2 --gpu mi300x,mi355x --plot attention.svg\n"
      "--batch 4 --heads 32 --length 8192 --backward --gpu mi300x\n",
      attention};
}

Operation about_decode() {
  return {"decode",
          "attention of one new token a sequence against a cache, paged or not, split along the context",
          {{"batch", "sequences"},
           {"context", "tokens in the cache of each"},
           {"heads", "of Q", Kind::Size, "64"},
           {"kv-heads", "of K and V", Kind::Size, "8"},
           {"head-size", "of K and V", Kind::Size, "128"},
           {"queries", "new tokens a sequence", Kind::Size, "1"},
           {"splits", "parts of the context; 0: chosen", Kind::Size, "0"},
           kType},
          "--batch 32 --context 8192 --gpu mi300x,mi355x\n--batch 1:256:*2 --context 32768 --gpu mi355x\n",
          decode};
}

Operation about_paged() {
  return {"paged",
          "the same against a cache in pages",
          {{"batch", "sequences"},
           {"context", "tokens in the cache of each"},
           {"heads", "of Q", Kind::Size, "64"},
           {"kv-heads", "of K and V", Kind::Size, "8"},
           {"head-size", "of K and V", Kind::Size, "128"},
           {"queries", "new tokens a sequence", Kind::Size, "1"},
           {"page", "tokens a page", Kind::Size, "16"},
           {"splits", "parts of the context; 0: chosen", Kind::Size, "0"},
           kType},
          "--batch 64 --context 4096 --page 16 --gpu mi300x\n",
          decode};
}

Operation about_mla() {
  return {"mla",
          "decoding with multi-head latent attention: all heads share one cache row",
          {{"batch", "sequences"},
           {"context", "tokens in the cache of each"},
           {"heads", "of Q", Kind::Size, "128"},
           {"latent-size", "numbers that K and V share", Kind::Size, "512"},
           {"rotary-size", "numbers of K beside", Kind::Size, "64"},
           {"queries", "new tokens a sequence", Kind::Size, "1"},
           {"splits", "parts of the context; 0: chosen", Kind::Size, "0"},
           kType},
          "--batch 64 --context 16384 --heads 128 --gpu mi300x,mi350x\n",
          mla};
}

Operation about_delta_rule() {
  return {"delta-rule",
          "a step of a recurrent state (gated delta rule, linear attention)",
          {{"batch", "sequences"},
           {"heads", "of V and of the state"},
           {"key-heads", "of K; 0: as many", Kind::Size, "0"},
           {"key-size", "rows of a head's state", Kind::Size, "128"},
           {"value-size", "columns of a head's state", Kind::Size, "128"},
           {"tokens", "steps a sequence", Kind::Size, "1"},
           kType,
           {"state-dtype", "type of the state", Kind::Type, "f32"}},
          "--batch 128 --heads 32 --gpu mi355x\n",
          delta_rule};
}

}  // namespace

std::vector<Operation> attention_operations() {
  return {about_attention(), about_decode(), about_paged(), about_mla(), about_delta_rule()};
}

}  // namespace wavesmith::model
