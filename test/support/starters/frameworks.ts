import type { Starter } from './starters.ts';

export const vite: Starter = {
  name: 'Vite',
  answers: '/assets/index-',
  files: {
    'package.json': JSON.stringify({
      name: 'vite-starter',
      version: '0.0.0',
      private: true,
      type: 'module',
      scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' },
      devDependencies: { vite: '^6.0.0' },
    }),
    'index.html': '<!doctype html><div id="app"></div><script type="module" src="/src/main.js"></script>\n',
    'src/main.js': "document.querySelector('#app').textContent = 'Hello from Vite';\n",
  },
};

export const astro: Starter = {
  name: 'Astro',
  answers: 'Hello from Astro',
  files: {
    'package.json': JSON.stringify({
      name: 'astro-starter',
      version: '0.0.1',
      type: 'module',
      scripts: { dev: 'astro dev', build: 'astro build', preview: 'astro preview', astro: 'astro' },
      dependencies: { astro: '^5.1.0' },
    }),
    'astro.config.mjs': "import { defineConfig } from 'astro/config';\nexport default defineConfig({});\n",
    'src/pages/index.astro': '---\nconst name = "Astro";\n---\n<html><body><h1>Hello from {name}</h1></body></html>\n',
  },
};

export const next: Starter = {
  name: 'Next.js',
  answers: 'Hello from Next',
  files: {
    'package.json': JSON.stringify({
      name: 'next-starter',
      version: '0.1.0',
      private: true,
      scripts: { dev: 'next dev', build: 'next build', start: 'next start' },
      dependencies: { next: '15.1.11', react: '^19.0.0', 'react-dom': '^19.0.0' },
    }),
    'app/layout.js': 'export default function Layout({ children }) { return <html><body>{children}</body></html>; }\n',
    'app/page.js': 'export default function Page() { return <h1>Hello from Next</h1>; }\n',
  },
};
