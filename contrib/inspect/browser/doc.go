// Package browser has the tests that look at the page of package inspect as people do: with a real
// Chromium. They are a module of their own, so that nobody who mounts the page depends on what
// drives a browser.
//
// The tests install what is missing, Chromium and npm, with apt-get if they may. They leave
// pictures of each view in the folder that INSPECT_SCREENSHOTS names, or else in one that goes with
// the test.
package browser
