import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { application } from '../../support/service/git-folder.ts';

/** A version of an application to deploy, and the text that it responds with. */
export interface Version {
  readonly files: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns a version without dependencies. */
export function plain(text: string, name = 'plain'): Version {
  const lock = { name, version: '1.0.0', lockfileVersion: 3, requires: true, packages: {} };
  return { files: { ...application(name, text), 'package-lock.json': JSON.stringify(lock) }, text };
}

const manifest = { name: 'express-app', version: '1.0.0', dependencies: { express: '4.21.2' } };

/** Returns what makes versions that need Express, all with one lockfile; this also fills npm's cache. */
export function expressVersions(folder: string, cache: string): (text: string) => Version {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const env = { PATH: process.env.PATH, HOME: folder, npm_config_cache: cache };
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: folder, env });
  const lockfile = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  return (text) => ({
    text,
    files: {
      'package.json': JSON.stringify({ ...manifest, scripts: { start: 'node server.js' } }),
      'package-lock.json': lockfile,
      'server.js': `const app = require('express')();\napp.get('/', (_, answer) => answer.send(${JSON.stringify(text)}));\napp.listen(process.env.PORT, process.env.HOST);\n`,
    },
  });
}
