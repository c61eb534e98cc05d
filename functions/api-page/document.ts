import { inHtml } from '../api/html.ts';
import type { PageNames } from '../core/ports/page.ts';

interface DocumentParts {
  /** The path of the service's address, without a slash at the end. */
  readonly path: string;
  readonly names: PageNames;
  readonly signalsUrl: string;
  readonly repositoriesUrl: string;
}

/**
 * Returns the document of the page. All that it shows is made by its script, from the API and with the user's login.
 */
export function document({ path, names, signalsUrl, repositoriesUrl }: DocumentParts): string {
  const asset = (name: string) => inHtml(`${path}/assets/${name}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0a0a0a" media="(prefers-color-scheme: dark)">
<meta name="robots" content="noindex">
<meta name="signals" content="${inHtml(signalsUrl)}">
<meta name="repositories" content="${inHtml(repositoriesUrl)}">
<title>Deploys</title>
<link rel="icon" type="image/svg+xml" href="${asset(names.icon)}">
<link rel="stylesheet" href="${asset(names.style)}">
<script type="module" src="${asset(names.script)}"></script>
</head>
<body>
<div id="page"><noscript>This page needs JavaScript. The command line shows the same: hooks status</noscript></div>
</body>
</html>
`;
}

/**
 * Returns the headers that confine the page: it loads its own files only, runs no inline script, connects to the
 * service and its WebSocket only, and cannot be framed.
 */
export function securityHeaders(signalsUrl: string): Readonly<Record<string, string>> {
  const socket = URL.canParse(signalsUrl) ? ` ${new URL(signalsUrl).origin}` : '';
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      `connect-src 'self'${socket}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  };
}
