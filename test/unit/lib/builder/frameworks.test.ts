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

/** An application with these packages, whose build has left these files. */
const built = (packages: string, left: string, more: Partial<Application> = {}): Application => {
  return { packages: packages.split(' '), left: left.split(' '), ...more };
};
const QWIK = '@builder.io/qwik-city vite';
const ROUTER = '@react-router/dev vite';

describe('what the build of a framework has left is started', () => {
  it.each<[string, Application, string]>([
    ['Vite', built('react vite', 'dist/index.html'), 'serve dist'],
    ['Astro', built('astro', 'dist/index.html'), 'serve dist'],
    ['Astro with a server', built('astro', 'dist/server/entry.mjs'), 'node dist/server/entry.mjs'],
    ['SvelteKit', built('@sveltejs/kit vite', 'build/handler.js build/index.js'), 'node build'],
    ['SvelteKit without a server', built('@sveltejs/kit vite', 'build/index.html'), 'serve build'],
    ['Nuxt', built('nuxt', '.output/server/index.mjs'), 'node .output/server/index.mjs'],
    ['Nuxt, generated', built('nuxt', '.output/public/index.html'), 'serve .output/public'],
    ['React Router', built(ROUTER, 'build/server/index.js'), 'react-router-serve build/server/index.js'],
    ['Next.js', built('next', '.next/BUILD_ID'), 'next start'],
    ['Eleventy', built('@11ty/eleventy', '_site/index.html'), 'serve _site'],
    ['VitePress', built('vitepress', '.vitepress/dist/index.html'), 'serve .vitepress/dist'],
    ['VitePress in docs', built('vitepress', 'docs/.vitepress/dist/index.html'), 'serve docs/.vitepress/dist'],
    ['VuePress', built('vuepress', 'docs/.vuepress/dist/index.html'), 'serve docs/.vuepress/dist'],
    ['Gatsby', built('gatsby', 'public/index.html index.js'), 'serve public'],
    ['Qwik with a server', built(QWIK, 'dist/index.html server/entry.express.js'), 'node server/entry.express.js'],
    ['Nest', built('@nestjs/core', 'dist/main.js'), 'node dist/main.js'],
    ['Angular', built('@angular/core', 'dist/shop/browser/index.html'), 'serve dist/shop/browser'],
    ['Nitro', built('other', '.output/server/index.mjs index.html'), 'node .output/server/index.mjs'],
  ])('of %s without a start script', async (_name, application, text) => {
    expect(await commandFor(application)).toMatchObject({ text });
  });

  const dev = { dev: 'cross-env PORT=3000 npx next dev --turbo' };

  it.each<[string, Application, string]>([
    ['npx @11ty/eleventy --serve', built('@11ty/eleventy', '_site/index.html'), 'serve _site'],
    ['vitepress dev docs', built('vitepress', 'docs/.vitepress/dist/index.html'), 'serve docs/.vitepress/dist'],
    ['docusaurus start', built('@docusaurus/core', 'build/index.html'), 'serve build'],
    ['react-scripts start', built('react-scripts', 'build/index.html'), 'serve build'],
    ['ng serve', built('@angular/core', 'dist/a/browser/index.html'), 'serve dist/a/browser'],
    ['gatsby develop', built('gatsby', 'public/index.html'), 'serve public'],
    ['vuepress dev docs', built('vuepress', 'docs/.vuepress/dist/index.html'), 'serve docs/.vuepress/dist'],
    ['vite --host', built('vite', 'dist/index.html'), 'serve dist'],
    ['vite preview', built('vite', 'dist/index.html'), 'serve dist'],
    ['nest start', built('@nestjs/core', 'dist/main.js'), 'node dist/main.js'],
    ['npm run dev', built('next', '.next/BUILD_ID', { scripts: dev }), 'next start'],
    ['next start', built('next', 'out/index.html'), 'serve out'],
    ['react-router-serve ./build/server/index.js', built(ROUTER, 'build/client/index.html'), 'serve build/client'],
    ['node bin/server.js', built('@adonisjs/core', 'build/bin/server.js'), 'node build/bin/server.js'],
    ['webpack serve --open', built('webpack', 'dist/index.html'), 'serve dist'],
    ['vite', built('vite', 'dist/client/index.html'), 'serve dist/client'],
    ['npx parcel', built('parcel', 'dist/index.html'), 'serve dist'],
  ])('in place of %s, which is said', async (start, application, text) => {
    const command = await commandFor({ ...application, start });
    expect(command.text).toContain(text);
    expect(command.note).toMatch(
      /^"start" is ".*": .* instead, which the build(?: of .*)? has left\. A Procfile decides/,
    );
  });

  it.each<[string, Application]>([
    ['node server.js', built('vite', 'dist/index.html')],
    ['next start -H 0.0.0.0', built('next', '.next/BUILD_ID')],
    ['react-router-serve ./build/server/index.js', built(ROUTER, 'build/server/index.js')],
    ['parcel build', built('parcel', 'dist/index.html')],
    ['nodemon server.js', built('nodemon', 'dist/index.html')],
    ['node other', built('@nestjs/core', 'other.js dist/main.js')],
    ['node --run x', built('@nestjs/core', 'dist/main.js')],
  ])('not in place of %s', async (start, application) => {
    expect(await commandFor({ ...application, start })).toMatchObject({ text: start });
  });

  it('not in place of a Procfile', async () => {
    const more = { start: 'vite', procfile: 'web: node other.js' };
    const command = await commandFor(built('vite', 'dist/index.html', more));
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
