import type { Settings } from '../../../functions/core/apps/settings.ts';
import {
  angular,
  astro,
  createReactApp,
  docusaurus,
  next,
  nextStandalone,
  nuxt,
  qwik,
  reactRouter,
  remix,
  svelteKit,
  vite,
} from './frameworks.ts';
import { nx, pnpmWorkspace, turborepo, yarnBerry, yarnClassic, yarnPlugAndPlay } from './other-managers.ts';
import { adonis, express, fastify, hono, jsonServer, nest, otherNode, typescript } from './servers.ts';
import { eleventy, gatsby, vitepress, vuepress } from './sites.ts';

/** A small application as the starter of a framework makes it. */
export interface Starter {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** A part of what it answers, at the path `page`, by default `/`. */
  readonly answers: string;
  readonly page?: string;
  /** The folder of the application in the repository. */
  readonly path?: string;
  /** What a person has to say of it. */
  readonly settings?: Settings;
  /** How its lockfile is made before it is deployed: a package of the registry, its call, and the file. */
  readonly lockfile?: { readonly package: string; readonly call: readonly string[]; readonly file: string };
}

/** All starters, the small ones first. */
const all: readonly Starter[] = [
  express,
  fastify,
  hono,
  typescript,
  vite,
  nest,
  adonis,
  pnpmWorkspace,
  yarnClassic,
  yarnBerry,
  yarnPlugAndPlay,
  turborepo,
  nx,
  otherNode,
  jsonServer,
  eleventy,
  vitepress,
  vuepress,
  gatsby,
  qwik,
  astro,
  svelteKit,
  reactRouter,
  remix,
  next,
  nextStandalone,
  nuxt,
  docusaurus,
  createReactApp,
  angular,
];

/** Returns the name of a starter as the variable STARTERS has it: `pnpm-workspace`. */
function keyOf({ name }: Starter): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** Those that STARTERS names (`express,vite`), by default all of them, and the names of the others. */
export const { starters, leftOut } = chosen(process.env.STARTERS);

function chosen(wanted = '') {
  const keys = wanted.split(',').filter(Boolean);
  const unknown = keys.filter((key) => !all.some((one) => keyOf(one) === key));
  if (unknown.length > 0) {
    throw new Error(`STARTERS: there is no ${unknown.join(', ')}; there are ${all.map(keyOf).join(', ')}.`);
  }
  const isChosen = (one: Starter) => keys.length === 0 || keys.includes(keyOf(one));
  return { starters: all.filter(isChosen), leftOut: all.filter((one) => !isChosen(one)).map(keyOf) };
}
