"""Opens reports in a headless browser: python3 report_test.py PAGE... [--pictures FOLDER]

Looks at what only a browser can tell: that nothing is asked of the network, that links and keys lead somewhere, that
texts are readable in light and dark and none is cut off or lies over another. Exit code 77 without a browser."""

import sys
import time
import unittest
from pathlib import Path
from typing import ClassVar

import browser

# Contrast of text with what lies behind it (WCAG 2.2, success criterion 1.4.3): the least over all texts that are seen.
CONTRAST = """(() => {
  const light = c => { const f = c.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const parse = text => { const n = text.match(/[\\d.]+/g).map(Number); return n.length == 3 ? [...n, 1] : n; };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3]));
  let worst = [99, ''];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest('title, svg, .skip')) continue;
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    let back = parse(getComputedStyle(document.body).backgroundColor).slice(0, 3);
    for (const layer of layers.reverse()) back = over(layer, back);
    const fore = over(parse(getComputedStyle(element).color), back);
    const [a, b] = [light(fore), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const text = walker.currentNode.data.trim().slice(0, 40);
    if (ratio < worst[0]) worst = [ratio, text + ' in ' + element.outerHTML.slice(0, 80)];
  }
  return worst;
})()"""

# Texts of pictures that lie over one another, or leave their picture.
OVERLAPS = """(() => {
  const bad = [];
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll('text:not(.mark)')].map(t => [t.getBoundingClientRect(), t.textContent]);
    for (const [box, text] of boxes)
      if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
          box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        bad.push('outside: ' + text);
    for (let i = 0; i < boxes.length; ++i)
      for (let j = 0; j < i; ++j) {
        const a = boxes[i][0], b = boxes[j][0];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)
          bad.push('over each other: ' + boxes[i][1] + ' / ' + boxes[j][1]);
      }
  }
  return bad;
})()"""

# Elements whose contents are cut off: what is wider than its box and does not scroll.
CUT = """[...document.querySelectorAll('dd, dt, h1, h2, h3, h4, p, li, .label, .total, .tag')]
  .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display != 'inline')
  .map(e => e.outerHTML.slice(0, 100))"""


def each_page(test):
    """The test, once with each page opened in a light tab."""

    def run(self):
        for page in self.pages:
            with self.subTest(page=page):
                self.browser.prefer("light")
                self.browser.open(page)
                test(self, page)

    return run


class Report(unittest.TestCase):
    pages: ClassVar[list[str]] = []
    pictures = None

    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser(cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    @each_page
    def test_asks_for_nothing_but_itself(self, page):
        self.assertEqual(self.browser.requests, [Path(page).resolve().as_uri()])
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 0)

    @each_page
    def test_is_the_same_document_for_an_xml_parser(self, page):
        count = self.browser.evaluate("""(() => {
          const parsed = new DOMParser().parseFromString(document.documentElement.outerHTML, 'text/html');
          return [parsed.querySelectorAll('*').length, document.querySelectorAll('*').length]; })()""")
        self.assertEqual(count[0], count[1])

    @each_page
    def test_readable_in_light_and_dark(self, page):
        backs = []
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            ratio, where = self.browser.evaluate(CONTRAST)
            self.assertGreaterEqual(ratio, 4.5, f"{scheme}: {where}")
            backs.append(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"))
            if self.pictures:
                self.browser.picture(Path(self.pictures) / f"{Path(page).stem}-{scheme}.png")
        self.assertNotEqual(backs[0], backs[1])

    @each_page
    def test_no_text_is_cut_off_or_lies_over_another(self, page):
        for width in (1400, 700, 360):
            self.browser.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
            )
            self.assertEqual(self.browser.evaluate(OVERLAPS), [], width)
            self.assertEqual(self.browser.evaluate(CUT), [], width)
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width + 1)
        self.browser.call("Emulation.clearDeviceMetricsOverride")

    @each_page
    def test_every_link_leads_to_something(self, page):
        dead = self.browser.evaluate("""[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))
          .filter(h => !h.startsWith('#') || !document.getElementById(h.slice(1)))""")
        self.assertEqual(dead, [])

    @each_page
    def test_the_keyboard_reaches_everything_in_order(self, page):
        self.browser.key("Tab")
        self.assertEqual(self.browser.evaluate("document.activeElement.className"), "skip")
        places = []
        for _ in range(40):
            self.browser.key("Tab")
            if self.browser.evaluate("document.activeElement === document.body"):
                break
            # A line that is inside of a pane may scroll it: its place in the document is what counts.
            places.append(self.browser.evaluate("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
            outline = self.browser.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            self.assertNotEqual(outline, "none", "what has the focus is seen")
        self.assertEqual(places, sorted(places))
        self.assertGreater(len(places), 3)

    @each_page
    def test_a_finding_leads_to_its_line(self, page):
        link = self.browser.evaluate("""(() => { const a = document.querySelector('.findings a, .tiles a, .isa a');
          if (!a) return null; a.focus(); return a.getAttribute('href'); })()""")
        if link is None:
            return
        self.browser.key("Enter")
        for _ in range(20):  # a click by a key is done by and by
            if self.browser.evaluate("location.hash") == link:
                break
            time.sleep(0.05)
        self.assertEqual(self.browser.evaluate("location.hash"), link)
        seen = self.browser.evaluate("""(() => { const t = document.querySelector(':target');
          const b = t.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight; })()""")
        self.assertTrue(seen, "the line is in sight")
        self.assertNotIn(
            "rgba(0, 0, 0, 0)",
            self.browser.evaluate("getComputedStyle(document.querySelector(':target')).backgroundColor"),
        )


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if "--pictures" in arguments:
        at = arguments.index("--pictures")
        Report.pictures = arguments[at + 1]
        Path(Report.pictures).mkdir(parents=True, exist_ok=True)
        del arguments[at : at + 2]
    Report.pages = arguments
    Report.program = browser.find()
    if not Report.program:
        print("no Chromium here: tools/setup test installs one")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
