import { expect, it } from 'vitest';
import { usageGraphs, withClasses } from '../../../../lib/page/model/usage.ts';

const NOW = Date.parse('2026-01-01T10:30:15Z');
const at = (ago: number) => new Date(NOW - ago * 60_000).toISOString();

it('the bars of the last hour are as high as their part of its largest minute, from 2xx at the bottom to 5xx', () => {
  const graphs = usageGraphs(
    [
      { at: at(60), requests: { '2xx': 100 }, memory: 9 },
      { at: at(59), requests: { '2xx': 1, '5xx': 1 }, memory: 30 },
      { at: at(0), requests: { '4xx': 1, '2xx': 3, later: 7 }, memory: 20 },
      { at: at(-1), requests: { '2xx': 100 }, memory: 90 },
    ],
    NOW,
  );
  expect(graphs.bars).toEqual([
    { place: 0, of: '2xx', from: 0, height: 0.25 },
    { place: 0, of: '5xx', from: 0.25, height: 0.25 },
    { place: 59, of: '2xx', from: 0, height: 0.75 },
    { place: 59, of: '4xx', from: 0.75, height: 0.25 },
  ]);
  expect(graphs).toMatchObject({ most: 4, lastMemory: 20, mostMemory: 30 });
  expect(Object.fromEntries(graphs.totals)).toEqual({ '2xx': 4, '3xx': 0, '4xx': 1, '5xx': 1 });
  expect(graphs.memory).toEqual([
    [0, 30],
    [59, 20],
  ]);
});

it('an hour without a request has no bar, and none with a part of nothing', () => {
  expect(usageGraphs([{ at: at(3), requests: {}, memory: null }], NOW)).toMatchObject({
    bars: [],
    most: 0,
    lastMemory: null,
  });
  expect(usageGraphs([], NOW)).toMatchObject({ bars: [], memory: [], mostMemory: 0 });
});

it('the hours of a week have places in their graphs as the minutes of an hour have, and errors are told apart', () => {
  const hour = { requests: 10, errors: 4, memory: 5, p50: 20, p99: 300 };
  const week = [168, 167, 1, 0].map((ago) => ({ ...hour, at: at(ago * 60) }));
  const idle = { ...hour, at: at(120), requests: 0, errors: 0, p50: null, p99: null };
  const graphs = usageGraphs(withClasses([...week, idle]), NOW, 'week');
  expect(graphs.bars.map(({ place, of, height }) => [place, of, height])).toEqual(
    [0, 166, 167].flatMap((place) => [
      [place, '2xx', 0.6],
      [place, '5xx', 0.4],
    ]),
  );
  expect(graphs).toMatchObject({
    p50: [0, 166, 167].map((place) => [place, 20]),
    p99: [0, 166, 167].map((place) => [place, 300]),
    mostTime: 300,
  });
  expect(usageGraphs(withClasses([idle]), NOW, 'week')).toMatchObject({ bars: [], p50: [], p99: [], mostTime: 0 });
});
