import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FRAMEWORKS } from '../../../../lib/builder/start/frameworks.ts';
import { commandOf, portRemedy } from '../../../../lib/builder/start/scripts.ts';
import { readStartManifest, startCommand } from '../../../../lib/builder/start/start-command.ts';
import { build, sharedPlatform, start, temporaryFolder } from '../../../support/platform/harness.ts';
import { starters } from '../../../support/starters/starters.ts';

const shared = sharedPlatform();

interface Application {
  readonly packages: readonly string[];
  readonly start?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  /** What the build has left. */
  readonly left?: readonly string[];
  readonly procfile?: string;
}

async function commandFor({ packages, start, scripts, left = [], procfile }: Application) {
  const folder = await temporaryFolder();
  const manifest = {
    name: 'app',
    scripts: { build: 'x', ...scripts, ...(start !== undefined && { start }) },
    dependencies: Object.fromEntries(packages.map((name) => [name, '1'])),
  };
  const files = [...left, ...(procfile === undefined ? [] : ['Procfile'])];
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), file === 'Procfile' ? (procfile ?? '') : '');
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  return startCommand(folder, await readStartManifest(folder), {});
}

describe('what the build of a framework has left is started', () => {
  it.each<[string, Application, string]>([
    ['Vite', { packages: ['react', 'vite'], left: ['dist/index.html'] }, 'serve dist'],
    ['Astro', { packages: ['astro'], left: ['dist/index.html'] }, 'serve dist'],
    ['Astro with a server', { packages: ['astro'], left: ['dist/server/entry.mjs'] }, 'node dist/server/entry.mjs'],
    ['SvelteKit', { packages: ['@sveltejs/kit', 'vite'], left: ['build/handler.js', 'build/index.js'] }, 'node build'],
    ['SvelteKit without a server', { packages: ['@sveltejs/kit', 'vite'], left: ['build/index.html'] }, 'serve build'],
    ['Nuxt', { packages: ['nuxt'], left: ['.output/server/index.mjs'] }, 'node .output/server/index.mjs'],
    ['Nuxt, generated', { packages: ['nuxt'], left: ['.output/public/index.html'] }, 'serve .output/public'],
    [
      'React Router',
      { packages: ['@react-router/dev', 'vite'], left: ['build/server/index.js'] },
      'react-router-serve build/server/index.js',
    ],
    ['Next.js', { packages: ['next'], left: ['.next/BUILD_ID'] }, 'next start'],
    ['Eleventy', { packages: ['@11ty/eleventy'], left: ['_site/index.html'] }, 'serve _site'],
    ['VitePress', { packages: ['vitepress'], left: ['.vitepress/dist/index.html'] }, 'serve .vitepress/dist'],
    [
      'VitePress in docs',
      { packages: ['vitepress'], left: ['docs/.vitepress/dist/index.html'] },
      'serve docs/.vitepress/dist',
    ],
    ['VuePress', { packages: ['vuepress'], left: ['docs/.vuepress/dist/index.html'] }, 'serve docs/.vuepress/dist'],
    ['Gatsby', { packages: ['gatsby'], left: ['public/index.html', 'index.js'] }, 'serve public'],
    [
      'Qwik with a server',
      { packages: ['@builder.io/qwik-city', 'vite'], left: ['dist/index.html', 'server/entry.express.js'] },
      'node server/entry.express.js',
    ],
    ['Nest', { packages: ['@nestjs/core'], left: ['dist/main.js'] }, 'node dist/main.js'],
    ['Angular', { packages: ['@angular/core'], left: ['dist/shop/browser/index.html'] }, 'serve dist/shop/browser'],
  ])('of %s without a start script', async (_name, application, text) => {
    expect(await commandFor(application)).toMatchObject({ text });
  });

  it.each<[string, Application, string]>([
    [
      'eleventy --serve',
      { packages: ['@11ty/eleventy'], start: 'npx @11ty/eleventy --serve', left: ['_site/index.html'] },
      'serve _site',
    ],
    [
      'vitepress dev',
      { packages: ['vitepress'], start: 'vitepress dev docs', left: ['docs/.vitepress/dist/index.html'] },
      'serve docs/.vitepress/dist',
    ],
    [
      'docusaurus start',
      { packages: ['@docusaurus/core'], start: 'docusaurus start', left: ['build/index.html'] },
      'serve build',
    ],
    [
      'react-scripts start',
      { packages: ['react-scripts'], start: 'react-scripts start', left: ['build/index.html'] },
      'serve build',
    ],
    ['ng serve', { packages: ['@angular/core'], start: 'ng serve', left: ['dist/a/browser/index.html'] }, 'dist/a/bro'],
    ['gatsby develop', { packages: ['gatsby'], start: 'gatsby develop', left: ['public/index.html'] }, 'serve public'],
    [
      'vuepress dev',
      { packages: ['vuepress'], start: 'vuepress dev docs', left: ['docs/.vuepress/dist/index.html'] },
      'serve docs/.vuepress/dist',
    ],
    ['vite', { packages: ['vite'], start: 'vite --host', left: ['dist/index.html'] }, 'serve dist'],
    ['vite preview', { packages: ['vite'], start: 'vite preview', left: ['dist/index.html'] }, 'serve dist'],
    ['nest start', { packages: ['@nestjs/core'], start: 'nest start', left: ['dist/main.js'] }, 'node dist/main.js'],
    [
      'a script that runs another one',
      {
        packages: ['next'],
        start: 'npm run dev',
        scripts: { dev: 'cross-env PORT=3000 npx next dev --turbo' },
        left: ['.next/BUILD_ID'],
      },
      'next start',
    ],
    ['next start', { packages: ['next'], start: 'next start', left: ['out/index.html'] }, 'serve out'],
    [
      'react-router-serve',
      {
        packages: ['@react-router/dev', 'vite'],
        start: 'react-router-serve ./build/server/index.js',
        left: ['build/client/index.html'],
      },
      'serve build/client',
    ],
    [
      'a file of the built folder',
      { packages: ['@adonisjs/core'], start: 'node bin/server.js', left: ['build/bin/server.js'] },
      'node build/bin/server.js',
    ],
    [
      'the server of a bundler',
      { packages: ['webpack'], start: 'webpack serve --open', left: ['dist/index.html'] },
      'serve dist',
    ],
    ['Vike', { packages: ['vite'], start: 'vite', left: ['dist/client/index.html'] }, 'serve dist/client'],
    ['another one, by npm', { packages: ['parcel'], start: 'npx parcel', left: ['dist/index.html'] }, 'serve dist'],
  ])('in place of %s, which is said', async (start, application, text) => {
    const command = await commandFor(application);
    expect(command.text).toContain(text);
    expect(command.note).toMatch(
      /^"start" is ".*": .* instead, which the build(?: of .*)? has left\. A Procfile decides/,
    );
    expect(start).not.toBe('');
  });

  it.each<[string, Application]>([
    ['a server of its own', { packages: ['vite'], start: 'node server.js', left: ['dist/index.html'] }],
    ['the framework’s own server', { packages: ['next'], start: 'next start -H 0.0.0.0', left: ['.next/BUILD_ID'] }],
    [
      'its server with a configuration',
      {
        packages: ['@react-router/dev', 'vite'],
        start: 'react-router-serve ./build/server/index.js',
        left: ['build/server/index.js'],
      },
    ],
    ['the build of a bundler', { packages: ['parcel'], start: 'parcel build', left: ['dist/index.html'] }],
    ['a watcher of a server', { packages: ['nodemon'], start: 'nodemon server.js', left: ['dist/index.html'] }],
    ['a file that is there', { packages: ['@nestjs/core'], start: 'node other', left: ['other.js', 'dist/main.js'] }],
    ['an option', { packages: ['@nestjs/core'], start: 'node --run x', left: ['dist/main.js'] }],
  ])('not in place of %s', async (_what, application) => {
    expect(await commandFor(application)).toMatchObject({ text: application.start });
  });

  it('not in place of a Procfile', async () => {
    const site = { packages: ['vite'], left: ['dist/index.html'], start: 'vite' };
    const command = await commandFor({ ...site, procfile: 'web: node other.js' });
    expect(command).toMatchObject({ text: 'node other.js' });
    expect(command.note).toBeUndefined();
  });
});

describe('a server for development', () => {
  it.each<[string, Application, string]>([
    [
      'vite',
      { packages: ['vite'], start: 'vite', scripts: { build: '' } },
      `"hooks set build='vite build'" builds it.`,
    ],
    [
      'vite where the build is of another framework',
      { packages: ['vite'], start: 'vite', scripts: { build: 'other build' } },
      'Its build has left none of .output/server/index.mjs, .output/public/index.html, dist/index.html, dist/client/index.html.',
    ],
    [
      'next dev',
      { packages: ['next'], scripts: { build: '' }, procfile: 'web: next dev' },
      `"hooks set build='next build'" builds it.`,
    ],
    ['nodemon', { packages: ['nodemon'], start: 'nodemon server.js' }, 'Let "start" run the server itself.'],
    ['a watching compiler', { packages: [], start: 'rollup -c -w' }, 'Let "start" run the server itself.'],
    ['a watching node', { packages: [], start: 'node --watch server.js' }, 'Let "start" run the server itself.'],
  ])('%s is started with a warning when there is nothing else', async (_name, application, remedy) => {
    const { note } = await commandFor(application);
    expect(note).toBe(
      `"${application.start ?? 'next dev'}" is a server for development, which is slow and not safe. ${remedy}`,
    );
  });

  it('is named in the log of the build and among its warnings', async () => {
    const at = await shared();
    const manifest = {
      name: 'site',
      scripts: { build: 'mkdir dist && echo built > dist/index.html', start: 'vite' },
      devDependencies: {},
      dependencies: { vite: 'file:./vite' },
    };
    const files = {
      'package.json': JSON.stringify(manifest),
      'vite/package.json': '{"name":"vite","version":"1.0.0"}',
    };
    const built = await build(at, 'site', '1', files);
    const started = await start(at, 'site', '1');
    const note =
      '"start" is "vite": the folder dist is served instead, which the build of Vite has left. A Procfile decides otherwise (web: <command>).';
    expect(built).toMatchObject({ state: 'ready', warnings: [note] });
    expect(built.log).toContain(note);
    expect(await (await fetch(started.url)).text()).toBe('built\n');
  });
});

it('the server that a build with Nitro has left is started, whatever framework stands on it', async () => {
  const left = ['.output/server/index.mjs', '.output/public/index.html', 'index.html'];
  const { text } = await commandFor({ packages: ['other'], scripts: { build: 'other build' }, left });
  expect(text).toBe('node .output/server/index.mjs');
});

it('a framework whose build has left nothing to start says what to write', async () => {
  await expect(commandFor({ packages: ['@sveltejs/kit'], left: ['.svelte-kit/output/x'] })).rejects.toThrow(
    'There is nothing to start: the build of SvelteKit has left nothing that can run here. Run "npm install --save-dev @sveltejs/adapter-node", and import the adapter from it in the configuration, or name a command in a Procfile (web: <command>).',
  );
});

it.each([
  ['npm run dev', 'vite --port 3000'],
  ['yarn dev', 'vite --port 3000'],
  ['pnpm run again', 'pnpm run again'],
  ['prisma generate && NODE_ENV=x exec node_modules/.bin/next dev', 'next dev'],
  ['npm test', 'npm test'],
])('the script %s runs %s in the end', (script, command) => {
  expect(commandOf(script, { dev: 'A=1 vite --port 3000', again: 'pnpm run again' })).toBe(command);
});

it('the table of the README has every framework', async () => {
  const text = await readFile('lib/builder/README.md', 'utf8');
  const rows = [...text.matchAll(/^\| (.+) \(`(.+)`\) \|/gm)].map(([, name, id]) => [name, id]);
  expect(rows).toEqual(FRAMEWORKS.map((one) => [one.name, one.package]));
});

it('each framework is tried with its starter', () => {
  const tried = starters.map(({ name }) => name);
  expect(FRAMEWORKS.map(({ name }) => name).filter((name) => !tried.includes(name))).toEqual([]);
});

const reads = 'let it listen on process.env.PORT';
const takes = 'give it the port in the variable PORT, and the address in HOST (127.0.0.1)';
const serve = { serve: 'http-server -p 3000 site' };

it.each([
  ['node server.js', {}, reads],
  ['npm run serve', { serve: 'tsx watch src' }, reads],
  ['npm run serve', serve, `${takes}, such as by "hooks set start='http-server -p $PORT site'"`],
  ['migrate up && serve -l 3000', {}, `${takes}, such as by "hooks set start='migrate up && serve -l $PORT'"`],
  ['json-server db.json', {}, `${takes}, such as by "hooks set start='json-server db.json --port $PORT'"`],
  ['micro', {}, `${takes}, such as by "hooks set start='micro --listen tcp://$HOST:$PORT'"`],
  ['other-server', {}, takes],
  ['migrate up && npm run serve', { serve: 'serve' }, takes],
  ["serve 'a site'", {}, takes],
])('the advice for %s, which listens on 3000, is what its author can do', (command, scripts, advice) => {
  expect(portRemedy(3000, command, scripts)).toBe(advice);
});
