import { manifest } from './frameworks.ts';
import type { Starter } from './starters.ts';

// What builds pages only, as its own pages propose: most have `start` be their development server.

export const eleventy: Starter = {
  name: 'Eleventy',
  answers: 'Hello from Eleventy',
  files: {
    'package.json': manifest('eleventy-starter', {
      scripts: { build: 'eleventy', start: 'eleventy --serve' },
      devDependencies: { '@11ty/eleventy': '3.1.8' },
    }),
    'index.md': '# Hello from Eleventy\n',
  },
};

export const vitepress: Starter = {
  name: 'VitePress',
  answers: 'Hello from VitePress',
  files: {
    'package.json': manifest('vitepress-starter', {
      scripts: { start: 'vitepress dev docs', build: 'vitepress build docs' },
      devDependencies: { vitepress: '1.6.4' },
    }),
    'docs/index.md': '# Hello from VitePress\n',
  },
};

export const vuepress: Starter = {
  name: 'VuePress',
  answers: 'Hello from VuePress',
  files: {
    'package.json': manifest('vuepress-starter', {
      type: 'module',
      scripts: { start: 'vuepress dev docs', build: 'vuepress build docs' },
      devDependencies: {
        vuepress: '2.0.0-rc.31',
        '@vuepress/bundler-vite': '2.0.0-rc.31',
        vue: '3.5.27',
      },
    }),
    'docs/.vuepress/config.js':
      "import { viteBundler } from '@vuepress/bundler-vite';\nexport default { bundler: viteBundler(), theme: { name: 'none', layouts: { Layout: import.meta.dirname + '/Layout.vue' } } };\n",
    'docs/.vuepress/Layout.vue': '<template><Content /></template>\n',
    'docs/README.md': '# Hello from VuePress\n',
  },
};

/** Without install scripts, as that of sharp takes a library from GitHub: only the npm registry is needed. */
export const gatsby: Starter = {
  name: 'Gatsby',
  answers: 'Hello from Gatsby',
  files: {
    '.npmrc': 'ignore-scripts=true\n',
    'package.json': manifest('gatsby-starter', {
      type: 'commonjs',
      engines: { node: '22.x' },
      scripts: { develop: 'gatsby develop', start: 'gatsby develop', build: 'gatsby build', serve: 'gatsby serve' },
      dependencies: { gatsby: '5.16.1', react: '18.3.1', 'react-dom': '18.3.1' },
    }),
    'src/pages/index.js':
      "import * as React from 'react';\nexport default function Page() { return <h1>Hello from Gatsby</h1>; }\n",
  },
};
