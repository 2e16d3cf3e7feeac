package uitest

import (
	"encoding/json"
	"fmt"
)

// wholePageRules are the rules whose result depends on a page as a whole, or on its texts.
const wholePageRules = `["document-title", "html-has-lang", "bypass", "heading-order", "page-has-heading-one", "empty-heading", "duplicate-id-aria",
	"landmark-unique", "landmark-one-main", "landmark-no-duplicate-main", "link-name", "aria-valid-attr-value"]`

// shapesOf defines shapes(), which maps the shape of each visible element to the first
// element that has it. A shape is what the rules see of an element: its name, classes,
// role and place among other elements, and not its text.
const shapesOf = `(() => {
	const known = new Map([[null, ""]]), first = new Map();
	for (const e of document.querySelectorAll("html, body, body *")) {
		const marks = [...e.attributes].filter(a => /^(role|tabindex|type|scope|open|disabled|aria-(current|hidden|live|expanded))$/.test(a.name)).map(a => a.name + "=" + a.value);
		const shape = known.get(e.parentElement ?? null) + ">" + e.localName + [...e.classList].map(c => "." + c).join("") + marks.map(m => "[" + m + "]").join("");
		known.set(e, shape);
		if (!first.has(shape) && e.checkVisibility()) first.set(shape, e);
	}
	return first;
})()`

// thinOut removes what neither is nor contains the first element of a shape, but for the
// names of fields, and gives the shapes.
const thinOut = `(() => {
	const first = %s, kept = new Set();
	for (const e of first.values()) for (let p = e; p && !kept.has(p); p = p.parentElement) kept.add(p);
	for (const e of document.querySelectorAll("main *")) if (!kept.has(e) && !e.closest("label")) e.remove();
	return [...first.keys()];
})()`

// ProseViolations is AccessibilityViolations for a site of many pages of text in one frame.
// Rules about a whole page judge each page. All others judge the first element of each shape
// that no page of this browser had before, and its contrast in dark and light colours:
// axe-core needs seconds for all elements of a long page, which differ in their texts only.
// At a further width only the rules of layout judge. The page has then lost what has the
// shape of something before it: axe-core looks at all of a page to judge one contrast.
func (b *Browser) ProseViolations() []string {
	b.T.Helper()
	if b.axe == "" {
		return nil
	}
	checked, ok := b.Ctx.Value(axeCacheKey{}).(*axeCache)
	if !ok {
		b.T.Fatal("the browser was not started by Chromium")
	}
	var faults, newShapes, newWidths []string
	if checked.hasNew("page " + Eval[string](b, `location.href`)) {
		faults = b.violations(wholePageRules)
	}
	for _, shape := range Eval[[]string](b, fmt.Sprintf(thinOut, shapesOf)) {
		switch newShape, newWidth := checked.hasNew(shape), checked.hasNew(shape+" at "+b.Size); {
		case newShape:
			newShapes = append(newShapes, shape)
		case newWidth:
			newWidths = append(newWidths, shape)
		}
	}
	faults = append(faults, b.shapeViolations(newWidths, layoutRules)...)
	faults = append(faults, b.shapeViolations(newShapes, allRules)...)
	return append(faults, b.inOtherColours(func() []string { return b.shapeViolations(newShapes, `["color-contrast"]`) })...)
}

// shapeViolations judges the first element of each shape by rules.
func (b *Browser) shapeViolations(shapes []string, rules string) []string {
	b.T.Helper()
	if len(shapes) == 0 {
		return nil
	}
	names, err := json.Marshal(shapes)
	if err != nil {
		b.T.Fatal(err)
	}
	b.loadAxe()
	defer b.atTop()()
	Eval[any](b, fmt.Sprintf(`(() => { const first = %s; for (const s of %s) first.get(s)?.setAttribute("data-judged", ""); })()`, shapesOf, names))
	faults := Eval[[]string](b, fmt.Sprintf(axeRun, "{include: [['[data-judged]']]}", rules))
	Eval[any](b, `void document.querySelectorAll("[data-judged]").forEach(e => e.removeAttribute("data-judged"))`)
	return faults
}
