import type { Starter } from './starters.ts';

const NPM_LOCK = { package: 'npm', call: ['npm', 'install', '--package-lock-only'], file: 'package-lock.json' };

export const express: Starter = {
  name: 'Express',
  answers: 'Hello from Express',
  lockfile: NPM_LOCK,
  files: {
    'package.json': json({
      name: 'express-starter',
      scripts: { start: 'node app.js' },
      dependencies: { express: '^4.21.2' },
    }),
    'app.js': `
const app = require('express')();
app.get('/', (request, response) => response.send('Hello from Express'));
app.listen(process.env.PORT || 3000);
`,
  },
};

export const fastify: Starter = {
  name: 'Fastify',
  answers: 'Hello from Fastify',
  lockfile: NPM_LOCK,
  files: {
    'package.json': json({
      name: 'fastify-starter',
      type: 'module',
      scripts: { start: 'node server.js' },
      dependencies: { fastify: '^5.2.0' },
    }),
    'server.js': `
import Fastify from 'fastify';
const fastify = Fastify();
fastify.get('/', async () => ({ text: 'Hello from Fastify' }));
await fastify.listen({ port: Number(process.env.PORT ?? 3000) });
`,
  },
};

export const typescript: Starter = {
  name: 'TypeScript',
  answers: 'Hello from TypeScript',
  lockfile: NPM_LOCK,
  files: {
    'package.json': json({
      name: 'typescript-starter',
      scripts: { build: 'tsc', start: 'node dist/index.js' },
      devDependencies: { typescript: '~5.7.0', '@types/node': '^20.0.0' },
    }),
    'tsconfig.json': json({
      compilerOptions: { target: 'es2022', module: 'node16', outDir: 'dist', strict: true, types: ['node'] },
      include: ['src'],
    }),
    'src/index.ts': `
import { createServer } from 'node:http';
const text: string = 'Hello from TypeScript';
createServer((_request, response) => response.end(text)).listen(process.env.PORT);
`,
  },
};

export const nest: Starter = {
  name: 'Nest',
  answers: 'Hello from Nest',
  lockfile: NPM_LOCK,
  files: {
    'package.json': json({
      name: 'nest-starter',
      scripts: { build: 'nest build', start: 'nest start', 'start:prod': 'node dist/main' },
      dependencies: {
        '@nestjs/common': '^11.0.0',
        '@nestjs/core': '^11.0.0',
        '@nestjs/platform-express': '^11.0.0',
        'reflect-metadata': '^0.2.0',
        rxjs: '^7.8.0',
      },
      devDependencies: { '@nestjs/cli': '^11.0.0', typescript: '~5.7.0', '@types/node': '^20.0.0' },
    }),
    'nest-cli.json': json({ sourceRoot: 'src' }),
    'tsconfig.json': json({
      compilerOptions: {
        target: 'es2022',
        module: 'commonjs',
        outDir: 'dist',
        emitDecoratorMetadata: true,
        experimentalDecorators: true,
        skipLibCheck: true,
      },
      include: ['src'],
    }),
    'src/main.ts': `
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

@Controller()
class AppController {
  @Get()
  hello(): string {
    return 'Hello from Nest';
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

NestFactory.create(AppModule).then((app) => app.listen(process.env.PORT ?? 3000));
`,
  },
};

/** Without its variables, such as APP_KEY. Its build is a folder, in which `start` is to be run. */
export const adonis: Starter = {
  name: 'Adonis',
  answers: 'Hello from Adonis',
  files: {
    'package.json': json({
      name: 'adonis-starter',
      type: 'module',
      scripts: { start: 'node bin/server.js', build: 'node ace build', dev: 'node ace serve --hmr' },
      dependencies: { '@adonisjs/core': '^6.18.0', 'reflect-metadata': '^0.2.2' },
      devDependencies: {
        '@adonisjs/assembler': '^7.8.2',
        '@adonisjs/tsconfig': '^1.4.0',
        '@swc/core': '1.11.24',
        '@types/node': '^22.15.18',
        'ts-node-maintained': '^10.9.5',
        typescript: '~5.8.0',
      },
    }),
    'tsconfig.json': json({
      extends: '@adonisjs/tsconfig/tsconfig.app.json',
      compilerOptions: { rootDir: './', outDir: './build' },
    }),
    'ace.js': "import 'ts-node-maintained/register/esm';\nawait import('./bin/console.js');\n",
    'bin/console.ts': adonisProgram('ace().handle(process.argv.slice(2))'),
    'bin/server.ts': adonisProgram('httpServer().start()'),
    'adonisrc.ts': `
import { defineConfig } from '@adonisjs/core/app';
export default defineConfig({
  commands: [() => import('@adonisjs/core/commands')],
  providers: [() => import('@adonisjs/core/providers/app_provider')],
  preloads: [() => import('./start/routes.js')],
});
`,
    'config/app.ts': `
import { defineConfig } from '@adonisjs/core/http';
export const appKey = 'a key of at least sixteen characters';
export const http = defineConfig({});
`,
    'config/logger.ts': `
import { defineConfig } from '@adonisjs/core/logger';
export default defineConfig({ default: 'app', loggers: { app: {} } });
`,
    'start/routes.ts': `
import router from '@adonisjs/core/services/router';
router.get('/', () => 'Hello from Adonis');
`,
  },
};

function adonisProgram(call: string): string {
  return `
import 'reflect-metadata';
import { Ignitor } from '@adonisjs/core';
const root = new URL('../', import.meta.url);
const importer = (path: string) => import(path.startsWith('.') ? new URL(path, root).href : path);
await new Ignitor(root, { importer }).${call};
`;
}

/** Its creator's server listens on 3000, which a deploy refuses with a sentence: that line is changed. */
export const hono: Starter = {
  name: 'Hono',
  answers: 'Hello from Hono',
  lockfile: NPM_LOCK,
  files: {
    'package.json': json({
      name: 'hono-starter',
      type: 'module',
      scripts: { dev: 'tsx watch src/index.ts', build: 'tsc', start: 'node dist/index.js' },
      dependencies: { '@hono/node-server': '^2.1.0', hono: '^4.13.0' },
      devDependencies: { '@types/node': '^24.0.0', tsx: '^4.20.0', typescript: '^5.8.3' },
    }),
    'tsconfig.json': json({
      compilerOptions: {
        target: 'esnext',
        module: 'nodenext',
        strict: true,
        skipLibCheck: true,
        types: ['node'],
        outDir: 'dist',
      },
      include: ['src'],
    }),
    'src/index.ts': `
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.get('/', (c) => c.text('Hello from Hono'));
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
`,
  },
};

export const otherNode: Starter = {
  name: 'Node 22',
  answers: 'Hello from v22.',
  files: {
    'package.json': json({ name: 'node-22-starter', engines: { node: '22.x' }, scripts: { start: 'node server.js' } }),
    'server.js': `
require('node:http').createServer((request, response) => response.end('Hello from ' + process.version)).listen(process.env.PORT);
`,
  },
};

/** It has a port of its own, and an option for another one. */
export const jsonServer: Starter = {
  name: 'json-server',
  page: '/posts',
  answers: 'Hello from json-server',
  settings: { start: 'json-server --host 127.0.0.1 --port $PORT db.json' },
  files: {
    'package.json': json({
      name: 'json-server-starter',
      scripts: { start: 'json-server db.json' },
      dependencies: { 'json-server': '0.17.3' },
    }),
    'db.json': '{"posts":[{"id":1,"title":"Hello from json-server"}]}\n',
  },
};

function json(value: object): string {
  return JSON.stringify(
    { ...('compilerOptions' in value || 'sourceRoot' in value ? {} : { version: '1.0.0' }), ...value },
    null,
    2,
  );
}
