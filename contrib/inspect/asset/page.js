// Keeps the page up to date: the server sends what there is to see, twice a second and only if it
// has changed, and what differs is put in place. Without this script the page loads itself anew.
"use strict";

(() => {
	const live = document.getElementById("live");
	const state = document.getElementById("state");
	const own = document.currentScript.src;
	const policy = window.trustedTypes
		? trustedTypes.createPolicy("punctual", { createHTML: (html) => html })
		: { createHTML: (html) => html };

	// What has just been done stands in the address, to be shown once.
	const here = new URL(location.href);
	here.searchParams.delete("did");
	here.searchParams.delete("undone");
	if (here.href !== location.href) history.replaceState(null, "", here);

	// --- What has changed

	// morph makes a node like another one, and keeps what is the same: so the focus, a choice of
	// text and what is folded out stay.
	function morph(from, to) {
		if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || from.id !== to.id) {
			from.replaceWith(to);
			return;
		}
		if (from.id === "picked") return; // it tells what the viewer has ticked
		if (from.nodeType !== Node.ELEMENT_NODE) {
			if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
			return;
		}
		for (const { name, value } of [...to.attributes]) {
			if (from.getAttribute(name) !== value) from.setAttribute(name, value);
		}
		for (const { name } of [...from.attributes]) {
			if (!to.hasAttribute(name) && !mine(from, name)) from.removeAttribute(name);
		}
		children(from, to);
	}

	// mine tells what is the viewer's and not the server's.
	function mine(node, name) {
		return name === "open" && node.nodeName === "DETAILS" ||
			name === "tabindex" && node.className === "wide";
	}

	// children finds those with an id again wherever they are, and takes others in their order.
	function children(from, to) {
		const known = new Map();
		for (const child of from.children) if (child.id) known.set(child.id, child);
		let at = from.firstChild;
		for (const next of [...to.childNodes]) {
			const same = next.id && known.get(next.id);
			if (same) {
				known.delete(next.id);
				// What has gone before it is removed: to move it would take the focus away.
				while (at && at !== same && !at.id) {
					const after = at.nextSibling;
					at.remove();
					at = after;
				}
				if (same !== at) from.insertBefore(same, at);
				else at = at.nextSibling;
				morph(same, next);
			} else if (at && !at.id && !next.id) {
				const after = at.nextSibling;
				morph(at, next);
				at = after;
			} else {
				from.insertBefore(next, at);
			}
		}
		while (at) {
			const after = at.nextSibling;
			at.remove();
			at = after;
		}
	}

	function show(html) {
		const page = new DOMParser().parseFromString(policy.createHTML(html), "text/html");
		const next = document.importNode(page.body, true);
		localize(next);
		children(live, next);
		choose(chosen);
		reach();
		tick();
	}

	// --- Times of schedules

	const clock = new Intl.DateTimeFormat("en-GB", { weekday: "short", year: "numeric", month: "2-digit",
		day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
		timeZoneName: "short" });

	// localize adds to each time what the browser's clock shows then, if that is something else.
	function localize(root) {
		for (const time of root.querySelectorAll("time")) {
			const at = new Date(time.dateTime);
			if (isNaN(at) || -at.getTimezoneOffset() === offset(time.dateTime)) continue;
			const p = {};
			for (const { type, value } of clock.formatToParts(at)) p[type] = value;
			const own = document.createElement("span");
			own.className = "own";
			own.textContent = ` (${p.weekday} ${p.year}-${p.month}-${p.day} ${p.hour}:${p.minute}:${p.second}` +
				` ${p.timeZoneName} here)`;
			time.append(own);
		}
	}

	// offset returns that of a time as it is written, in minutes.
	function offset(text) {
		const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) || ["", "+", 0, 0];
		return (sign + 1) * (60 * hours + Number(minutes));
	}
	localize(live);

	// reach has the keyboard get to tables that are wider than the window, to move them.
	function reach() {
		for (const box of document.querySelectorAll(".wide")) {
			const wider = box.scrollWidth > box.clientWidth;
			if (wider) box.setAttribute("tabindex", "0");
			else box.removeAttribute("tabindex");
		}
	}
	addEventListener("resize", reach);
	reach();

	// --- The time strip

	let chosen = null; // the id of the bin that is told; null for the sum of all

	function bins() {
		return [...document.querySelectorAll("#strip g")];
	}

	function choose(id) {
		const strip = document.getElementById("strip");
		const tell = document.getElementById("tell");
		if (!strip || !tell) return;
		chosen = id;
		for (const g of bins()) g.classList.toggle("chosen", g.id === id);
		const bin = id && document.getElementById(id);
		const text = bin ? bin.firstChild.textContent : tell.dataset.default;
		if (tell.textContent !== text) tell.textContent = text;
		strip.setAttribute("aria-valuetext", text);
		strip.setAttribute("aria-valuenow", id ? (id.slice(1) - 120) * 5 : 0);
	}

	// next returns the bin to which a key leads. Those in which there is nothing are left out.
	function next(key) {
		const all = bins();
		const at = chosen ? Number(chosen.slice(1)) : 120;
		const before = all.filter((g) => Number(g.id.slice(1)) < at);
		const after = all.filter((g) => Number(g.id.slice(1)) > at);
		switch (key) {
		case "ArrowLeft": case "ArrowDown": return before.at(-1);
		case "ArrowRight": case "ArrowUp": return after[0];
		case "PageDown": return before.at(-12) || before[0];
		case "PageUp": return after[11] || after.at(-1);
		case "Home": return all[0];
		case "End": return all.at(-1);
		}
	}

	document.addEventListener("keydown", (event) => {
		if (event.target.id !== "strip") return;
		if (event.key === "Escape") return choose(null);
		const bin = next(event.key);
		if (bin) choose(bin.id);
		if (/^(Arrow|Page|Home|End)/.test(event.key)) event.preventDefault();
	});
	document.addEventListener("pointerover", (event) => {
		const bin = event.target.closest("#strip g");
		if (bin) choose(bin.id);
	});

	// --- Rows that are ticked

	// What is ticked stays so when rows come and go, also for those that are on another page by now.
	const ticked = new Set();
	let born = ""; // the process that they are of
	document.documentElement.classList.add("script");

	function boxes() {
		return [...live.querySelectorAll("input[name=t]")];
	}

	// tick shows what is ticked, and has the form send it.
	function tick() {
		const form = document.getElementById("many");
		const all = document.getElementById("pick-all");
		if (!form || !all) return;
		const of = live.querySelector("input[name=of]").value;
		if (born && born !== of) ticked.clear(); // another has other tasks of these numbers
		born = of;
		const away = new Set(ticked);
		let here = 0;
		for (const box of boxes()) {
			box.checked = away.delete(box.value);
			if (box.checked) here++;
		}
		all.checked = here > 0 && here === boxes().length;
		all.indeterminate = here > 0 && !all.checked;
		for (const field of form.querySelectorAll("input[name=t]")) field.remove();
		for (const value of away) {
			const field = document.createElement("input");
			field.type = "hidden";
			field.name = "t";
			field.value = value;
			form.append(field);
		}
		let text = ticked.size ? `: ${ticked.size}` : "";
		if (away.size) text += `, ${away.size} of them not on this page any more`;
		const tells = document.getElementById("picked");
		if (tells.textContent !== text) tells.textContent = text;
	}

	live.addEventListener("change", (event) => {
		const one = event.target.name === "t";
		if (!one && event.target.id !== "pick-all") return;
		for (const box of one ? [event.target] : boxes()) {
			if (event.target.checked) ticked.add(box.value);
			else ticked.delete(box.value);
		}
		document.getElementById("which-picked").checked = true;
		tick();
	});
	for (const box of boxes()) if (box.checked) ticked.add(box.value);
	tick();

	// --- The stream

	let source = null;
	let again = 0;

	function say(name, text) {
		if (state.className !== name) state.className = name;
		if (state.textContent !== text) state.textContent = text;
	}

	function connect() {
		clearTimeout(again);
		if (source || document.hidden) return;
		source = new EventSource(here);
		source.onopen = () => say("on", "live");
		source.onmessage = (event) => show(event.data);
		source.addEventListener("version", (event) => {
			if (!own.endsWith("?v=" + event.data)) location.reload();
		});
		source.onerror = () => {
			say("off", "not live, trying again");
			// It tries again by itself after a failure of the network, but not after a refusal.
			if (source.readyState !== EventSource.CLOSED) return;
			disconnect();
			again = setTimeout(ask, 5000);
		};
	}

	// ask gets the page once, where nothing is streamed, and then tries the stream again.
	async function ask() {
		if (document.hidden) return;
		try {
			const answer = await fetch(here, { headers: { Accept: "text/html" } });
			const page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), "text/html");
			const next = page.getElementById("live");
			if (next) show(next.innerHTML);
		} catch {
			// The server is away; it will be asked again.
		}
		connect();
	}

	function disconnect() {
		if (source) source.close();
		source = null;
	}

	// A browser opens only six connections to a server: who does not look needs none.
	document.addEventListener("visibilitychange", () => {
		if (document.hidden) disconnect();
		else connect();
	});
	addEventListener("pagehide", disconnect);
	addEventListener("pageshow", connect);
})();
