# Runs the Worker with workerd. The program replaces the words between at signs.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "assets", worker = .assets),
    (name = "files", disk = (path = @ASSETS@, writable = false)),
  ],
  sockets = [(name = "http", address = @ADDRESS@, http = (), service = "main")],
);

const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = @DATE@,
  bindings = [
    (name = "ASSETS", service = "assets"),
@BINDINGS@
  ],
);

const assets :Workerd.Worker = (
  modules = [(name = "assets.js", esModule = embed "assets.js")],
  compatibilityDate = @DATE@,
  bindings = [(name = "FILES", service = "files")],
);
