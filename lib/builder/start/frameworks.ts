import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesInside } from '../inside.ts';

/** An output of a framework's build: a folder of pages, or a server with the command that runs it. */
type Output = { readonly site: string } | { readonly server: string; readonly command: string };

/** A framework, known by the package that its applications depend on. */
export interface Framework {
  readonly package: string;
  readonly name: string;
  /** Commands that serve the sources; the output of the build is served instead. */
  readonly development: RegExp;
  /** Other commands for which that holds: they show a build, or refuse what another kind of build has left. */
  readonly preview?: RegExp;
  /** In this order. A `*` is one folder of any name. */
  readonly outputs: readonly Output[];
  /** Variables of the build. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Variables with which its server runs behind a proxy, unless the application sets them. */
  readonly runVariables?: Readonly<Record<string, string>>;
  /** Its command of a build. */
  readonly build: string;
  /** Advice for the author when the build has left none of the outputs, where it is known what is missing. */
  readonly without?: string;
}

const site = (folder: string): Output => ({ site: folder });
const server = (file: string, command = `node ${file}`): Output => ({ server: file, command });
const VITE_DEV = /^vite(?: (?:dev|serve)\b| -|$)/;
const VITE_PREVIEW = /^vite preview\b/;
/** React Router, and Remix before it. */
const served = (program: string): readonly Output[] => [
  server('build/server/index.js', `${program} build/server/index.js`),
  site('build/client'),
];
const nitro = [server('.output/server/index.mjs'), site('.output/public')];

/**
 * The first one of which an application has the package: those that are built with another one come before it. Each has a
 * starter in `test/support/starters`, which was live on its first push.
 */
export const FRAMEWORKS: readonly Framework[] = [
  {
    package: 'next',
    name: 'Next.js',
    development: /^next(?: dev\b| -|$)/,
    // `next start` refuses what `output: 'export'` has built.
    preview: /^next start\b/,
    outputs: [site('out'), server('.next/BUILD_ID', 'next start')],
    build: 'next build',
  },
  {
    package: 'nuxt',
    name: 'Nuxt',
    development: /^(?:nuxt|nuxi)(?: dev\b| -|$)/,
    preview: /^(?:nuxt|nuxi) (?:preview|start)\b/,
    outputs: [...nitro, site('dist')],
    build: 'nuxt build',
  },
  {
    package: '@sveltejs/kit',
    name: 'SvelteKit',
    development: VITE_DEV,
    preview: VITE_PREVIEW,
    outputs: [server('build/handler.js', 'node build'), site('build')],
    // @sveltejs/adapter-auto takes adapter-node where it finds this variable, and nothing that runs where it knows none.
    variables: { GCP_BUILDPACKS: 'true' },
    // https://svelte.dev/docs/kit/adapter-node#Environment-variables: else it takes each request for one by https, and
    // refuses forms that are sent by http.
    runVariables: { PROTOCOL_HEADER: 'x-forwarded-proto', HOST_HEADER: 'x-forwarded-host' },
    build: 'vite build',
    without: 'Run "npm install --save-dev @sveltejs/adapter-node", and import the adapter from it in the configuration',
  },
  {
    package: 'astro',
    name: 'Astro',
    development: /^astro (?:dev|start)\b/,
    preview: /^astro preview\b/,
    outputs: [server('dist/server/entry.mjs'), site('dist')],
    build: 'astro build',
    without: 'Pages that are made by a server need "npx astro add node"',
  },
  {
    package: '@react-router/dev',
    name: 'React Router',
    development: /^(?:react-router|vite) dev\b/,
    // There is no server to run after a build for browsers only (`ssr: false`).
    preview: /^(?:react-router-serve|vite preview)\b/,
    outputs: served('react-router-serve'),
    build: 'react-router build',
  },
  {
    package: '@remix-run/dev',
    name: 'Remix',
    development: /^remix (?:dev|vite:dev)\b/,
    preview: /^remix-serve\b/,
    outputs: served('remix-serve'),
    build: 'remix vite:build',
  },
  {
    package: '@docusaurus/core',
    name: 'Docusaurus',
    development: /^docusaurus start\b/,
    preview: /^docusaurus serve\b/,
    outputs: [site('build')],
    build: 'docusaurus build',
  },
  {
    package: '@11ty/eleventy',
    name: 'Eleventy',
    development: /^(?:@11ty\/)?eleventy\b.* --(?:serve|watch)\b/,
    outputs: [site('_site'), site('dist'), site('public')],
    build: 'eleventy',
  },
  {
    package: 'vitepress',
    name: 'VitePress',
    development: /^vitepress(?: dev\b| -|$)/,
    preview: /^vitepress (?:preview|serve)\b/,
    outputs: [site('.vitepress/dist'), site('*/.vitepress/dist')],
    build: 'vitepress build docs',
  },
  {
    package: 'vuepress',
    name: 'VuePress',
    development: /^vuepress(?:-vite|-webpack)? dev\b/,
    outputs: [site('.vuepress/dist'), site('*/.vuepress/dist')],
    build: 'vuepress build docs',
  },
  {
    package: 'gatsby',
    name: 'Gatsby',
    development: /^gatsby (?:develop|start)\b/,
    preview: /^gatsby serve\b/,
    outputs: [site('public')],
    build: 'gatsby build',
  },
  {
    package: '@builder.io/qwik-city',
    name: 'Qwik',
    development: VITE_DEV,
    preview: VITE_PREVIEW,
    outputs: [server('server/entry.express.js'), server('server/entry.fastify.js'), site('dist')],
    build: 'qwik build',
    without: 'Run "npm run qwik add", and choose the adapter of a server or of static pages',
  },
  {
    package: 'react-scripts',
    name: 'Create React App',
    development: /^react-scripts start\b/,
    outputs: [site('build')],
    build: 'react-scripts build',
  },
  {
    package: '@angular/core',
    name: 'Angular',
    development: /^ng (?:s|serve|dev)\b/,
    outputs: [server('dist/*/server/server.mjs'), site('dist/*/browser')],
    build: 'ng build',
  },
  {
    package: '@nestjs/core',
    name: 'Nest',
    development: /^nest start\b/,
    outputs: [server('dist/main.js')],
    build: 'nest build',
    without: 'Let "start" be "node dist/main"',
  },
  {
    package: '@adonisjs/core',
    name: 'Adonis',
    development: /^node ace(?:\.js)? serve\b/,
    outputs: [server('build/bin/server.js')],
    build: 'node ace build',
  },
  {
    package: 'vite',
    name: 'Vite',
    development: VITE_DEV,
    preview: VITE_PREVIEW,
    // TanStack Start and SolidStart build with Vite and Nitro; Vike leaves pages beside its server.
    outputs: [...nitro, site('dist'), site('dist/client')],
    build: 'vite build',
  },
];

/** Returns the framework of an application by the packages that it names. */
export function frameworkOf(packages: readonly string[]): Framework | undefined {
  return FRAMEWORKS.find((one) => packages.includes(one.package));
}

/** Returns what the author of an application can do when the build has left nothing that can run. */
export function adviceOf({ build, without, outputs }: Framework, scripts: Readonly<Record<string, string>>): string {
  if (!scripts.build?.trim()) return `"hooks set build='${build}'" builds it`;
  const files = outputs.map((output) => ('site' in output ? `${output.site}/index.html` : output.server));
  return without ?? `Its build has left none of ${files.join(', ')}`;
}

/** Returns what the build has left in a folder, with the folder or the command as it is there. */
export async function outputOf(folder: string, { outputs }: Framework): Promise<Output | undefined> {
  for (const output of outputs) {
    if ('site' in output) {
      const [place] = await placesOf(folder, `${output.site}/index.html`);
      if (place !== undefined) return { site: place.slice(0, -'/index.html'.length) };
    } else {
      const [place] = await placesOf(folder, output.server);
      if (place !== undefined) return { server: place, command: output.command.replace(output.server, place) };
    }
  }
  return undefined;
}

/** Returns the files that a path with at most one `*` stands for, by name. */
async function placesOf(folder: string, path: string): Promise<readonly string[]> {
  const [before = '', after] = path.split('*');
  const names = after === undefined ? [''] : (await entriesInside(join(folder, before))).map(({ name }) => name);
  const places = names.map((name) => (after === undefined ? path : `${before}${name}${after}`));
  const there = await Promise.all(places.map((place) => exists(join(folder, place))));
  return places.filter((_, at) => there[at]);
}

/** Whether there is such a file or folder. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
