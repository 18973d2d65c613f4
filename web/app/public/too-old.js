// Runs only where JavaScript modules are unknown, so it is written for such browsers.
document.addEventListener('DOMContentLoaded', function () {
  var before = document.getElementById('before');
  if (before) {
    before.textContent =
      'This browser is too old for Coppice: it does not know JavaScript modules. ' +
      'A current Firefox, Chrome, Edge or Safari does. Nothing was lost.';
  }
});
