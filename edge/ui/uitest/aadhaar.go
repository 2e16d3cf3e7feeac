package uitest

// NoAadhaar is an expression that is true while no text, attribute or storage of the page
// has the digits of CustomerAadhaar that must not be seen.
const NoAadhaar = `!(document.documentElement.outerHTML + document.body.innerText + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) +
	JSON.stringify(history.state) + JSON.stringify(navigation.currentEntry.getState()) + [...document.querySelectorAll("input")].map(e => e.value + e.defaultValue).join())
	.replace(/[ -]/g, "").includes("99994105")`
