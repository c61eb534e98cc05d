// Run by `npm version`: names what is unreleased in the changelog by the new version, which npm then commits and tags.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const path = '.github/CHANGELOG.md';
const heading = '## Unreleased\n';
const text = readFileSync(path, 'utf8');
const [, notes = ''] = text.split(heading);
if (/^\s*(?:## |$)/.test(notes)) throw new Error(`${path} says nothing under "Unreleased".`);
const day = new Date().toISOString().slice(0, 10);
writeFileSync(path, text.replace(heading, `${heading}\n## ${process.env.npm_package_version} (${day})\n`));
execFileSync('git', ['add', path]);
