// Makes scrypt cheap in this thread, and in those that it starts. A file that `node --require` takes: a thread has no
// loader of TypeScript.
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');
const threads = require('node:worker_threads');

/** The options of each password hash that this thread has asked for. */
exports.derived = [];

const { scrypt } = crypto;
crypto.scrypt = (password, salt, bytes, options, done) => {
  exports.derived.push(options);
  scrypt(password, salt, bytes, { ...options, N: 2 }, done);
};

threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    super(file, { ...options, execArgv: [...(options?.execArgv ?? process.execArgv), '--require', __filename] });
  }
};
syncBuiltinESMExports();
