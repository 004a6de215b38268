"use strict";
// The view of a profile: where the time of a call goes.

const Profile = {
  title: "Profile",
  make() { return el("section", { class: "view" }); },
  async open() { setPlace("profile"); },
  key() { return false; },
};

function profileWords() { return ""; }
