import type { Starter } from './starters.ts';

// What the creators of these frameworks make (November 2026), with fewer pages and with the versions of that day.

export const vite: Starter = {
  name: 'Vite',
  answers: '/assets/index-',
  files: {
    'package.json': manifest('vite-starter', {
      scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' },
      dependencies: { react: '19.3.1', 'react-dom': '19.3.1' },
      devDependencies: { '@vitejs/plugin-react': '6.1.2', vite: '8.3.4' },
    }),
    'vite.config.js':
      "import react from '@vitejs/plugin-react';\nimport { defineConfig } from 'vite';\nexport default defineConfig({ plugins: [react()] });\n",
    'index.html': '<!doctype html><div id="root"></div><script type="module" src="/src/main.jsx"></script>\n',
    'src/main.jsx':
      "import { createRoot } from 'react-dom/client';\ncreateRoot(document.getElementById('root')).render(<h1>Hello from Vite</h1>);\n",
  },
};

/** With the adapter of `qwik add express`; `start` is its development server. */
export const qwik: Starter = {
  name: 'Qwik',
  answers: 'Hello from Qwik',
  files: {
    'package.json': manifest('qwik-starter', {
      type: 'module',
      scripts: {
        build: 'qwik build',
        'build.client': 'vite build',
        'build.server': 'qwik check-client src dist && vite build -c adapters/express/vite.config.js',
        start: 'vite --open --mode ssr',
      },
      dependencies: { express: '4.22.0', undici: '7.16.0' },
      devDependencies: {
        '@builder.io/qwik': '1.20.1',
        '@builder.io/qwik-city': '1.20.1',
        eslint: '9.32.0',
        vite: '7.3.1',
      },
    }),
    'vite.config.js':
      "import { qwikCity } from '@builder.io/qwik-city/vite';\nimport { qwikVite } from '@builder.io/qwik/optimizer';\nimport { defineConfig } from 'vite';\nexport default defineConfig(() => ({ plugins: [qwikCity(), qwikVite()] }));\n",
    'adapters/express/vite.config.js':
      "import { nodeServerAdapter } from '@builder.io/qwik-city/adapters/node-server/vite';\nimport { extendConfig } from '@builder.io/qwik-city/vite';\nimport base from '../../vite.config.js';\nexport default extendConfig(base, () => ({\n  build: { ssr: true, rollupOptions: { input: ['src/entry.express.jsx', '@qwik-city-plan'] } },\n  plugins: [nodeServerAdapter({ name: 'express' })],\n}));\n",
    'src/root.jsx':
      "import { component$ } from '@builder.io/qwik';\nimport { QwikCityProvider, RouterOutlet } from '@builder.io/qwik-city';\nexport default component$(() => (\n  <QwikCityProvider><head><title>Qwik</title></head><body><RouterOutlet /></body></QwikCityProvider>\n));\n",
    'src/routes/index.jsx':
      "import { component$ } from '@builder.io/qwik';\nexport default component$(() => <h1>Hello from Qwik</h1>);\n",
    'src/entry.ssr.jsx':
      "import { renderToStream } from '@builder.io/qwik/server';\nimport Root from './root';\nexport default (options) => renderToStream(<Root />, options);\n",
    'src/entry.express.jsx':
      "import { createQwikCity } from '@builder.io/qwik-city/middleware/node';\nimport qwikCityPlan from '@qwik-city-plan';\nimport express from 'express';\nimport render from './entry.ssr';\nconst { router, notFound } = createQwikCity({ render, qwikCityPlan });\nexpress().use(router).use(notFound).listen(process.env.PORT ?? 3000);\n",
  },
};

export const astro: Starter = {
  name: 'Astro',
  answers: 'Hello from Astro',
  files: {
    'package.json': manifest('astro-starter', {
      engines: { node: '>=22.12.0' },
      scripts: { dev: 'astro dev', build: 'astro build', preview: 'astro preview', astro: 'astro' },
      dependencies: { astro: '7.3.5' },
    }),
    'astro.config.mjs': "import { defineConfig } from 'astro/config';\nexport default defineConfig({});\n",
    'src/pages/index.astro': '---\nconst name = "Astro";\n---\n<html><body><h1>Hello from {name}</h1></body></html>\n',
  },
};

/** Without the font that its creator takes from Google: only the npm registry is needed. */
export const next: Starter = {
  name: 'Next.js',
  answers: 'Hello from Next',
  files: {
    'package.json': manifest('next-starter', {
      scripts: { dev: 'next dev', build: 'next build', start: 'next start' },
      dependencies: { next: '16.4.3', react: '19.3.0', 'react-dom': '19.3.0' },
    }),
    'app/layout.js': 'export default function Layout({ children }) { return <html><body>{children}</body></html>; }\n',
    'app/page.js': 'export default function Page() { return <h1>Hello from Next</h1>; }\n',
  },
};

/** The server that its build makes for containers, which serves a file of `public`. */
export const nextStandalone: Starter = {
  ...next,
  name: 'Next.js standalone',
  page: '/robots.txt',
  answers: 'User-agent: Next',
  files: {
    ...next.files,
    'package.json': manifest('next-standalone-starter', {
      scripts: { build: 'next build', start: 'node .next/standalone/server.js' },
      dependencies: { next: '16.4.3', react: '19.3.0', 'react-dom': '19.3.0' },
    }),
    'next.config.js': "export default { output: 'standalone' };\n",
    'public/robots.txt': 'User-agent: Next\n',
  },
};

/** With adapter-auto, and without a start script. */
export const svelteKit: Starter = {
  name: 'SvelteKit',
  answers: 'Hello from SvelteKit',
  files: {
    'package.json': manifest('sveltekit-starter', {
      scripts: {
        dev: 'vite dev',
        build: 'vite build',
        preview: 'vite preview',
        prepare: "svelte-kit sync || echo ''",
      },
      devDependencies: {
        '@sveltejs/adapter-auto': '^7.0.1',
        '@sveltejs/kit': '^2.63.0',
        '@sveltejs/vite-plugin-svelte': '^7.1.2',
        svelte: '^5.56.1',
        vite: '^8.0.16',
      },
    }),
    'vite.config.js': `
import adapter from '@sveltejs/adapter-auto';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';
export default defineConfig({ plugins: [sveltekit({ adapter: adapter() })] });
`,
    'src/app.html':
      '<!doctype html><html><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>\n',
    'src/routes/+page.svelte': '<h1>Hello from SvelteKit</h1>\n',
  },
};

export const nuxt: Starter = {
  name: 'Nuxt',
  answers: 'Hello from Nuxt',
  files: {
    'package.json': manifest('nuxt-starter', {
      scripts: { build: 'nuxt build', dev: 'nuxt dev', generate: 'nuxt generate', postinstall: 'nuxt prepare' },
      dependencies: { nuxt: '4.5.2', vue: '^3.5.0', 'vue-router': '^4.6.0' },
    }),
    'nuxt.config.ts': "export default defineNuxtConfig({ compatibilityDate: '2025-07-15' });\n",
    'app/app.vue': '<template>\n  <h1>Hello from Nuxt</h1>\n</template>\n',
  },
};

export const reactRouter: Starter = {
  name: 'React Router',
  answers: 'Hello from React Router',
  files: {
    'package.json': manifest('react-router-starter', {
      scripts: {
        build: 'react-router build',
        dev: 'react-router dev',
        start: 'react-router-serve ./build/server/index.js',
      },
      dependencies: {
        '@react-router/node': '8.4.0',
        '@react-router/serve': '8.4.0',
        isbot: '5.2.3',
        react: '19.3.1',
        'react-dom': '19.3.1',
        'react-router': '8.4.0',
      },
      devDependencies: { '@react-router/dev': '8.4.0', typescript: '^5.9.2', vite: '8.3.4' },
    }),
    'vite.config.js':
      "import { reactRouter } from '@react-router/dev/vite';\nimport { defineConfig } from 'vite';\nexport default defineConfig({ plugins: [reactRouter()] });\n",
    'app/routes.js': "import { index } from '@react-router/dev/routes';\nexport default [index('routes/home.jsx')];\n",
    'app/routes/home.jsx': 'export default function Home() { return <h1>Hello from React Router</h1>; }\n',
    'app/root.jsx': root('react-router'),
  },
};

/** Its start script is the development server. */
export const docusaurus: Starter = {
  name: 'Docusaurus',
  answers: 'Hello from Docusaurus',
  files: {
    'package.json': manifest('docusaurus-starter', {
      type: undefined,
      engines: { node: '>=20.0' },
      scripts: { start: 'docusaurus start', build: 'docusaurus build', serve: 'docusaurus serve' },
      dependencies: {
        '@docusaurus/core': '3.10.2',
        '@docusaurus/faster': '3.10.2',
        '@docusaurus/preset-classic': '3.10.2',
        '@mdx-js/react': '^3.0.0',
        react: '^19.0.0',
        'react-dom': '^19.0.0',
      },
    }),
    'docusaurus.config.js':
      "module.exports = { title: 'Site', url: 'https://example.com', baseUrl: '/', presets: [['classic', { docs: false, blog: false }]] };\n",
    'src/pages/index.js': 'export default function Home() { return <h1>Hello from Docusaurus</h1>; }\n',
  },
};

/** Its start script is the development server. */
export const createReactApp: Starter = {
  name: 'Create React App',
  answers: '/static/js/main.',
  files: {
    'package.json': manifest('cra-starter', {
      type: undefined,
      scripts: { start: 'react-scripts start', build: 'react-scripts build' },
      dependencies: { react: '^19.3.1', 'react-dom': '^19.3.1', 'react-scripts': '5.0.1' },
      browserslist: ['>0.2%', 'not dead'],
    }),
    'public/index.html': '<!doctype html><html><body><div id="root"></div></body></html>\n',
    'src/index.js':
      "import { createRoot } from 'react-dom/client';\ncreateRoot(document.getElementById('root')).render(<h1>Hello</h1>);\n",
  },
};

/** Its creator is no longer kept up, and needs GitHub: its files are those of its last template. */
export const remix: Starter = {
  name: 'Remix',
  answers: 'Hello from Remix',
  files: {
    'package.json': manifest('remix-starter', {
      scripts: { build: 'remix vite:build', dev: 'remix vite:dev', start: 'remix-serve ./build/server/index.js' },
      dependencies: {
        '@remix-run/node': '2.17.5',
        '@remix-run/react': '2.17.5',
        '@remix-run/serve': '2.17.5',
        isbot: '^4.1.0',
        react: '^18.2.0',
        'react-dom': '^18.2.0',
      },
      devDependencies: { '@remix-run/dev': '2.17.5', vite: '^6.0.0' },
    }),
    'vite.config.js':
      "import { vitePlugin as remix } from '@remix-run/dev';\nimport { defineConfig } from 'vite';\nexport default defineConfig({ plugins: [remix()] });\n",
    'app/routes/_index.jsx': 'export default function Home() { return <h1>Hello from Remix</h1>; }\n',
    'app/root.jsx': root('@remix-run/react'),
  },
};

/** Its start script is the development server. */
export const angular: Starter = {
  name: 'Angular',
  answers: '<app-root>',
  files: {
    'package.json': manifest('angular-starter', {
      type: undefined,
      scripts: { ng: 'ng', start: 'ng serve', build: 'ng build' },
      dependencies: {
        '@angular/common': '^22.2.0',
        '@angular/compiler': '^22.2.0',
        '@angular/core': '^22.2.0',
        '@angular/platform-browser': '^22.2.0',
        rxjs: '~7.8.0',
        tslib: '^2.3.0',
      },
      devDependencies: {
        '@angular/build': '^22.2.7',
        '@angular/cli': '^22.2.7',
        '@angular/compiler-cli': '^22.2.0',
        typescript: '~6.0.2',
      },
    }),
    'angular.json': JSON.stringify({
      version: 1,
      projects: {
        'angular-starter': {
          projectType: 'application',
          root: '',
          sourceRoot: 'src',
          architect: {
            build: {
              builder: '@angular/build:application',
              options: { browser: 'src/main.ts', tsConfig: 'tsconfig.json' },
            },
          },
        },
      },
    }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: { skipLibCheck: true, importHelpers: true, target: 'ES2022', module: 'preserve', types: [] },
      include: ['src/**/*.ts'],
    }),
    'src/index.html': '<!doctype html><html><head><base href="/"></head><body><app-root></app-root></body></html>\n',
    'src/main.ts': `
import { Component } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
@Component({ selector: 'app-root', template: '<h1>Hello from Angular</h1>' })
class App {}
bootstrapApplication(App).catch((error) => console.error(error));
`,
  },
};

function root(from: string): string {
  return `
import { Outlet, Scripts } from '${from}';
export default function App() {
  return <html lang="en"><body><Outlet /><Scripts /></body></html>;
}
`;
}

export function manifest(name: string, more: object): string {
  return JSON.stringify({ name, version: '0.0.1', private: true, type: 'module', ...more }, null, 2);
}
