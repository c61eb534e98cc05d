import { astro, next, vite } from './frameworks.ts';
import { pnpmWorkspace, yarnBerry, yarnClassic } from './other-managers.ts';
import { express, fastify, nest, otherNode, typescript } from './servers.ts';

/** A small application as the starter of a framework makes it. */
export interface Starter {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** A part of what it answers. */
  readonly answers: string;
  /** The folder of the application in the repository. */
  readonly path?: string;
  /** How its lockfile is made before it is deployed: a package of the registry, its call, and the file. */
  readonly lockfile?: { readonly package: string; readonly call: readonly string[]; readonly file: string };
}

/** All starters, the small ones first. */
export const starters: readonly Starter[] = [
  express,
  fastify,
  typescript,
  vite,
  nest,
  pnpmWorkspace,
  yarnClassic,
  yarnBerry,
  otherNode,
  astro,
  next,
];
