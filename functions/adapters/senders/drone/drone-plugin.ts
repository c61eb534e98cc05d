import * as v from 'valibot';
import { defineSender } from '../define-sender.ts';
import { sha } from '../fields/git.ts';
import { readBody, text } from '../fields/read.ts';
import { verdictReader } from '../fields/verdict.ts';
import { droneBuild, droneVerdict } from './build.ts';

const time = v.nullish(v.number());
const pluginBody = v.object({
  Build: v.object({
    Number: v.number(),
    Status: v.string(),
    Event: text,
    Tag: text,
    Link: text,
    Created: time,
    Started: time,
    Finished: time,
  }),
  Repo: v.object({ Slug: text, Owner: text, Name: text, Link: text, HTTPURL: text }),
  Commit: v.object({
    SHA: sha,
    Ref: text,
    Branch: text,
    Message: v.nullish(v.object({ Title: text, Body: text })),
    Author: v.nullish(v.object({ Username: text, Name: text })),
  }),
});

/**
 * The webhook plugin of Drone since its version of 2020, which sends what its environment says without changing the
 * names (https://github.com/drone-plugins/drone-webhook/blob/master/plugin/impl.go, the types in
 * https://github.com/drone-plugins/drone-plugin-lib/tree/master/drone). It names the repository host.
 */
export const dronePlugin = defineSender({
  id: 'drone-plugin',
  provider: 'drone',
  name: 'Drone, webhook plugin',
  sends: 'builds',
  webhook: 'drone',
  requiredFields: ['Build.Number', 'Build.Status', 'Repo.Slug', 'Commit.SHA'],
  holds: 'as for Drone',
  tested: { with: 'fixtures, after the source of the plugin', how: ['read'] },
  read: ({ body }) => [droneBuild(asDrone(readBody(pluginBody, body, "a build of Drone's webhook plugin")))],
  verdict: verdictReader(v.object({ Build: v.object({ Status: v.string(), Event: text }) }), ({ Build }) =>
    droneVerdict({ status: Build.Status, event: Build.Event }),
  ),
});

/** Returns a body of the plugin with the names of the server's webhook. */
function asDrone({ Build: build, Repo: repo, Commit: commit }: v.InferOutput<typeof pluginBody>): unknown {
  return {
    repo: { slug: repo.Slug, owner: repo.Owner, name: repo.Name, link: repo.Link, git_http_url: repo.HTTPURL },
    build: {
      number: build.Number,
      status: build.Status,
      event: build.Event,
      tag: build.Tag,
      link: build.Link,
      created: build.Created,
      started: build.Started,
      finished: build.Finished,
      commit: commit.SHA,
      ref: commit.Ref,
      branch: commit.Branch,
      message: [commit.Message?.Title, commit.Message?.Body].filter(Boolean).join('\n\n'),
      author: commit.Author?.Name || commit.Author?.Username,
    },
  };
}
