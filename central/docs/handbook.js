// The key / moves the focus to the search, as long as nobody is typing.
document.addEventListener("keydown", (event) => {
	if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, select")) return;
	event.preventDefault();
	document.querySelector("#search").select();
});
