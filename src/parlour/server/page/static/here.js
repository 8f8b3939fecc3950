// The phrase from another device comes after the # of the address, which no server sees.
const phrase = decodeURIComponent(location.hash.slice(1));
if (phrase) {
  document.getElementById("phrase").value = phrase;
  history.replaceState(null, "", location.pathname); // and which no history keeps
}
