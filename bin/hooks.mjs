#!/usr/bin/env node
// The command `hooks`. Plain JavaScript: it installs what is missing, and only then are there the packages that it needs.
import './install.mjs';

// The service is a program of its own, which ends by its own signals. All else about `start` is in the command line.
const isStart = process.argv.length === 3 && process.argv[2] === 'start';
process.argv.splice(2, isStart ? 1 : 0, isStart ? 'local' : 'hooks');
await import('./run.mjs');
