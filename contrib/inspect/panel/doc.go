// Package panel is what package inspect shows of something that is not in the process: a queue on a
// server, a pool that many processes share. A [Source] is asked for views, which are plain data,
// and the page draws them as it draws its own pools.
//
//	page := inspect.Handler(jobs).With(inspect.Panels(source))
//
// A panel has an overview and lists. A list has pages, which follow each other by cursors, and each
// thing on it may have a view of its own, by an ID. What is wrong stands in the overview: the index
// of the page begins with it, beside what is wrong with the pools of the process.
//
// Everything is text: whatever names and errors consist of, they cannot become a part of the page.
// What is too long, or too much, is cut: names at 200 bytes, errors at 1,000, texts at 32 KiB, a
// table at 200 rows. What has an ID or a version of more than 512 bytes has no view, or no button.
//
// # Who calls
//
// The page calls a source on goroutines of its own, and gives each call a context with a deadline:
// 5 s for Read, 30 s for Act. Of each view there is one call of Read under way at most, and there
// are eight of all views of a panel; so Read and Act have to be safe for concurrent use. All
// viewers share the answer. It is kept for as long as [About] says, and at least for twenty times
// as long as the call took, so that a source is busy with each view for a twentieth of the time at
// most. Nobody is asked for a view at which nobody looks.
//
// A source may fail, panic, call runtime.Goexit or not answer. Then the page says so, beside what
// it has been told last, and asks again later. The index waits for all panels for a quarter of a
// second at most, and not at all for one that has not answered the last time; so a source delays
// nobody who looks at something else. One that does not heed its context keeps the goroutine until
// it returns.
package panel
