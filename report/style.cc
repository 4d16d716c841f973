#include "report/write.h"

namespace wavesmith::report {

// Colours of charts: told apart by people who see colours differently too (Okabe and Ito, "Color Universal
// Design", 2008), darker or paler by the background.
namespace {
constexpr std::string_view kStyle = R"(:root {
  --back: #ffffff; --fore: #1b1f24; --faint: #57606a; --line: #d0d7de; --panel: #f6f8fa; --link: #03408f;
  --heat: 214, 69, 0; --target: #fff3b0; --warn: #b3261e; --hint: #8a5a00; --good: #1a7f37;
  --c0: #0072b2; --c1: #e69f00; --c2: #009e73; --c3: #cc79a7; --c4: #56b4e9; --c5: #d55e00; --c6: #8c6bb1;
  --c7: #7f7f00; --c8: #7a7a7a; --c9: #00808a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0d1117; --fore: #e6edf3; --faint: #9aa4af; --line: #30363d; --panel: #161b22; --link: #9ccbff;
    --heat: 255, 123, 50; --target: #4d4000; --warn: #ff8a80; --hint: #e3b341; --good: #56d364;
    --c0: #4ea3da; --c1: #f0b93a; --c2: #2fc195; --c3: #e19cc4; --c4: #8accf2; --c5: #f08a4b; --c6: #b39ad6;
    --c7: #b8b83a; --c8: #a0a0a0; --c9: #3fb8c2;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 1800px; padding: 0 1.25rem 3rem; background: var(--back); color: var(--fore);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
code, .pc, .isa td, .source td { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; }
h1 { font-size: 1.5rem; margin: 1.25rem 0 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0; padding-top: 1rem; border-top: 2px solid var(--line); overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 0 0 .25rem; }
h4 { font-size: 1rem; margin: 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--panel); padding: .25rem .75rem; }
.subtitle, .note, small, footer { color: var(--faint); }
.subtitle { margin: .25rem 0 0; overflow-wrap: anywhere; }
.note { margin: 0 0 .5rem; font-size: .9rem; max-width: 110ch; }
nav ol { columns: 28rem; padding-left: 2rem; overflow-wrap: anywhere; }
.part { margin: 1.75rem 0 0; }
.tag { display: inline-block; font: 600 .68rem/1.3 system-ui, "DejaVu Sans", sans-serif; padding: 0 .4em; border-radius: .5em;
  border: 1px solid var(--line); color: var(--faint); background: var(--panel); vertical-align: .1em; white-space: nowrap; }
.tag.modelled { border-style: dashed; }
.tag.measured { color: var(--good); border-color: var(--good); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .75rem; margin: 1rem 0 0; }
.tiles > div { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
dt { color: var(--faint); font-size: .85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
dd strong { font-size: 1.1rem; }
dd small { display: block; font-size: .85rem; }
.meter { display: block; height: .4rem; margin: .3rem 0; background: var(--line); border-radius: .2rem; overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--c0); }
.findings { padding-left: 1.75rem; max-width: 110ch; }
.findings li { margin: 0 0 1rem; padding: .2rem .6rem; border-left: 4px solid var(--line); }
.findings li.level-warning { border-color: var(--warn); }
.findings li.level-hint { border-color: var(--hint); }
.findings p { margin: .15rem 0; overflow-wrap: anywhere; }
.level { font-weight: 600; margin-right: .75em; }
.level-warning .level { color: var(--warn); }
.level-hint .level { color: var(--hint); }
.gain { margin-right: .75em; }
.bars { display: grid; grid-template-columns: minmax(8rem, max-content) minmax(10rem, 1fr) max-content; gap: .35rem .75rem;
  align-items: center; max-width: 75rem; }
.bars svg { width: 100%; height: 1.1rem; display: block; }
.bars .label { overflow-wrap: anywhere; max-width: 26rem; }
.bars .total { font-variant-numeric: tabular-nums; text-align: right; }
.legend { list-style: none; padding: 0; margin: .5rem 0 0; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .88rem; }
.swatch { display: inline-block; width: .8rem; height: .8rem; border-radius: .15rem; margin-right: .4rem; vertical-align: -.08rem; }
.points { padding-left: 2rem; font-size: .92rem; }
.chart text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--fore); }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart .ceiling { stroke: var(--fore); stroke-width: 2; }
.chart .roof { stroke-width: 2.5; }
.chart .point { fill: var(--fore); }
.chart text.mark { fill: var(--back); font-weight: 700; font-size: 11px; }
.c0 { fill: var(--c0); background: var(--c0); } .c1 { fill: var(--c1); background: var(--c1); }
.c2 { fill: var(--c2); background: var(--c2); } .c3 { fill: var(--c3); background: var(--c3); }
.c4 { fill: var(--c4); background: var(--c4); } .c5 { fill: var(--c5); background: var(--c5); }
.c6 { fill: var(--c6); background: var(--c6); } .c7 { fill: var(--c7); background: var(--c7); }
.c8 { fill: var(--c8); background: var(--c8); } .c9 { fill: var(--c9); background: var(--c9); }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); } .s2 { stroke: var(--c2); } .s3 { stroke: var(--c3); } .s4 { stroke: var(--c4); }
.s5 { stroke: var(--c5); } .s6 { stroke: var(--c6); } .s7 { stroke: var(--c7); } .s8 { stroke: var(--c8); } .s9 { stroke: var(--c9); }
.w0 { fill: var(--warn); background: var(--warn); } .w1 { fill: var(--c1); background: var(--c1); } .w2 { fill: var(--c3); background: var(--c3); }
.w3 { fill: var(--c8); background: var(--c8); } .w4 { fill: var(--c4); background: var(--c4); } .w5 { fill: var(--c7); background: var(--c7); }
.w6 { fill: var(--c9); background: var(--c9); } .w7 { fill: var(--c2); background: var(--c2); } .w8 { fill: var(--c0); background: var(--c0); } .w9 { fill: var(--c6); background: var(--c6); }
.faint { opacity: .35; }
.scroll { overflow-x: auto; max-width: 100%; }
.scroll table, .code { border-collapse: collapse; }
.scroll th, .scroll td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.scroll th { color: var(--faint); font-weight: 600; font-size: .88rem; }
.scroll td { overflow-wrap: break-word; max-width: 46rem; }
th.n, td.n, .scroll th.n, .scroll td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
summary { font-weight: 600; font-size: 1.05rem; cursor: pointer; }
.panes { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: .75rem; }
.panes.alone { grid-template-columns: minmax(0, 1fr); }
.pane { border: 1px solid var(--line); border-radius: .4rem; overflow: auto; max-height: 85vh; scroll-padding: 5rem 0 40vh; }
.code { font-size: 12.5px; line-height: 1.45; width: 100%; }
.code caption { text-align: left; font: 600 .9rem system-ui, "DejaVu Sans", sans-serif; padding: .4rem .6rem; white-space: nowrap; }
.code thead th { position: sticky; top: 0; background: var(--panel); color: var(--faint); z-index: 1; text-align: left;
  font: 600 11.5px/1.6 system-ui, "DejaVu Sans", sans-serif; padding: .15rem .5rem; white-space: nowrap; border-bottom: 1px solid var(--line); }
.code td { padding: 0 .5rem; white-space: pre; }
.code td code { font-size: 12.5px; }
.code .block td { color: var(--faint); padding: .5rem .5rem .1rem; font-family: system-ui, "DejaVu Sans", sans-serif; font-size: 12px; }
.code .gap td { color: var(--faint); }
.live span { display: inline-flex; width: 5.5rem; height: .7rem; background: var(--line); margin-right: .5rem; vertical-align: -.05rem; }
.live i { height: 100%; background: var(--c4); }
.live i.a { background: var(--c6); }
.h1 { background: rgba(var(--heat), .04); } .h2 { background: rgba(var(--heat), .08); } .h3 { background: rgba(var(--heat), .12); }
.h4 { background: rgba(var(--heat), .16); } .h5 { background: rgba(var(--heat), .21); } .h6 { background: rgba(var(--heat), .26); }
.h7 { background: rgba(var(--heat), .30); } .h8 { background: rgba(var(--heat), .34); } .h9 { background: rgba(var(--heat), .38); }
.d1 .pc { box-shadow: inset 3px 0 var(--c1); } .d2 .pc { box-shadow: inset 6px 0 var(--c1); }
.d3 .pc { box-shadow: inset 9px 0 var(--c1); } .d4 .pc { box-shadow: inset 12px 0 var(--c1); }
tr:target { background: var(--target); outline: 2px solid var(--link); outline-offset: -2px; }
.findings li:target { background: var(--target); }
footer { margin-top: 3rem; border-top: 1px solid var(--line); font-size: .9rem; }
@media (max-width: 700px) { .bars { grid-template-columns: minmax(0, 1fr) max-content; } .bars .label { grid-column: 1 / 3; }
  body { padding: 0 .75rem 2rem; } }
@media (max-width: 900px) { .panes { grid-template-columns: minmax(0, 1fr); } .pane { max-height: 60vh; } }
@media print { .pane { max-height: none; overflow: visible; } .panes { display: block; } body { max-width: none; } }
)";
}  // namespace

std::string_view style() { return kStyle; }

}  // namespace wavesmith::report
