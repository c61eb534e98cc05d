import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

const DOCUMENT = readFileSync('lib/builder/languages.md', 'utf8');
const RECIPES = new Map(
  [...DOCUMENT.matchAll(/<!-- recipe (\S+) -->\n```json\n(.+?)\n```/gs)].map(([, tool = '', json = '']) => [
    tool,
    json,
  ]),
);

const PYTHON = `import os
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'by python')
HTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Handler).serve_forever()
`;
const C = `#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  const char *answer = "HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\nConnection: close\\r\\n\\r\\nby C";
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(getenv("PORT")))};
  inet_pton(AF_INET, getenv("HOST"), &at.sin_addr);
  int server = socket(AF_INET, SOCK_STREAM, 0);
  bind(server, (struct sockaddr *)&at, sizeof at);
  listen(server, 16);
  for (char asked[4096];;) {
    int client = accept(server, 0, 0);
    if (read(client, asked, sizeof asked) > 0) write(client, answer, strlen(answer));
    close(client);
  }
}
`;
const PERL = `use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalAddr => $ENV{HOST}, LocalPort => $ENV{PORT}, Listen => 16, ReuseAddr => 1);
while (my $client = $server->accept) {
  while (<$client>) { last if /^\\r?$/ }
  print $client "HTTP/1.1 200 OK\\r\\nContent-Length: 7\\r\\nConnection: close\\r\\n\\r\\nby perl";
  close $client;
}
`;

/** What a tool is asked for to know whether the machine has it, and the files of an application. */
const TOOLS: Readonly<Record<string, { readonly has: string; readonly files: object; readonly answer: string }>> = {
  python3: { has: 'python3 -c 1', files: { 'server.py': PYTHON }, answer: 'by python' },
  'python3-venv': {
    has: 'python3 -c "import ensurepip"',
    files: { 'server.py': PYTHON, 'requirements.txt': '' },
    answer: 'by python',
  },
  cc: { has: 'cc --version', files: { 'server.c': C }, answer: 'by C' },
  perl: { has: 'perl -MIO::Socket::INET -e 1', files: { 'server.pl': PERL }, answer: 'by perl' },
  php: { has: 'php --version', files: { 'public/index.php': 'by php' }, answer: 'by php' },
};

describe('an application in another language', () => {
  let started: Started<ServiceUnderTest>;
  let tree: GitFolder;
  beforeAll(async () => {
    started = await startForTest('languages');
  });
  afterAll(async () => {
    await started?.close();
  });

  it.each(Object.keys(TOOLS).filter((tool) => spawnSync('sh', ['-c', TOOLS[tool]?.has ?? '']).status === 0))(
    'is deployed by the recipe of %s as it stands',
    async (tool) => {
      const { files, answer } = TOOLS[tool] ?? { files: {}, answer: '' };
      const host = started.service.repoHost;
      await host.createRepository('demo', tool);
      tree = gitFolder(host.repositoryPath('demo', tool));
      const manifest = JSON.stringify({ ...JSON.parse(RECIPES.get(tool) ?? ''), name: tool });
      tree.commit({ 'package.json': manifest, ...files });
      expect(await tree.pushAndWatch()).toContain('live after');
      const { body } = await started.call(`/1/apps/demo/${tool}`);
      expect(await (await fetch(body.url)).text()).toBe(answer);
    },
  );
});
