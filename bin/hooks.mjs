#!/usr/bin/env node
// The command `hooks`. Plain JavaScript: it installs what is missing, and only then are there the packages that read
// TypeScript.
import './install.mjs';

const { register } = await import('tsx/esm/api');
register();
await import('./hooks.ts');
