#!/usr/bin/env node
// The command `hooks`. Plain JavaScript: it installs what is missing, and only then are there the packages that it needs.
import './install.mjs';

process.argv.splice(2, 0, 'hooks');
await import('./run.mjs');
