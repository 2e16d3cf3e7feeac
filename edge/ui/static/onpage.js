// The scripts of a page's parts: they run when their page stands in the document, at
// first and after each page that was opened in its place (visit.js).

const starts = [];

// onPage runs start for this page, and for each that takes its place.
export function onPage(start) {
  starts.push(start);
  start();
}

export function startPage() {
  starts.forEach((start) => start());
}
