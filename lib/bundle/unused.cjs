// In place of a module of which a package uses nothing here; Undici reads names of constants from it.
module.exports = { constants: {} };
