// In place of a module of which a package uses nothing here.
module.exports = {};
