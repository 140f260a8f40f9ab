// `@ranked`: the objects of a type by how well a text fits some words (BM25), as a kind of list: `rankArticle`, and a list such as `articlesRanked` beside links.
// The store's index finds the texts that have one of the words; MiniSearch scores those of them that the caller may see, and nothing else.

import MiniSearch from "minisearch";
import {
  and,
  argumentText,
  type BoundObjects,
  type BoundTarget,
  type DirectivePlugin,
  type ListKind,
  type ListStep,
  listArguments,
  type NodeRows,
  type NodeSelection,
  type NodeType,
  QuernError,
  type SelectedList,
  type SelectedMember,
  type StepPlanner,
  type StepReader,
  type StepWriter,
  type Uid,
  type Value,
  type ValueField,
  type Work,
  wait,
} from "quern/plugin";

export function rankingPlugin(): DirectivePlugin {
  return {
    name: "ranking",
    definitions: "directive @ranked on FIELD_DEFINITION",
    model({ uses, report }) {
      const fields = uses("ranked").flatMap(({ field, node, type }) => {
        if (field?.role === "value" && field.kind === "string" && !field.type.list) return [field];
        report(`Type ${type?.name}; Field ${field?.name}: @ranked is for String fields.`, node);
        return [];
      });
      if (fields.length === 0) return undefined;
      return {
        layout: () => ({
          indexes: fields.map((field) => ({
            name: indexOf(field),
            field: field.stored,
            by: "tokens",
            id: "ranked/1",
            tokens: (text: Value) => words(String(text)),
          })),
        }),
        api: () => ({ lists: fields.map((field) => rankingOf(field.owner, field)) }),
      };
    },
  };
}

const indexOf = ({ stored }: ValueField) => `${stored}/ranked`;
const words = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
const maxWords = 32;

function rankingOf(type: NodeType, field: ValueField): ListKind {
  const filters = listArguments(type).filter(({ name }) => name === "filter");
  return {
    type,
    definitions: `
      "Objects, those whose text fits best first."
      type ${type.name}Ranking { "How many fit at all." total: Int!  hits: [${type.name}Hit!]! }
      "An object and how well it fits."
      type ${type.name}Hit { score: Float!  node: ${type.name} }`,
    signature: `(matching: String! ${filters.map(argumentText).join(" ")} first: Int = 10, offset: Int = 0): ${type.name}Ranking!`,
    query: `rank${type.name}`,
    companion: (link) => (link.type.list ? `${link.name}Ranked` : undefined),
    plan: (list, planner) => planRanking(field, list, planner),
  };
}

/** What is selected of a ranking or of one of its hits. `place`: of the node among the selections. */
interface Member extends SelectedMember {
  readonly members: readonly Member[];
  readonly place: number;
}

function* planRanking(field: ValueField, { nodes, arguments: given }: SelectedList, planner: StepPlanner): Work<ListStep> {
  const type = field.owner;
  const selections: NodeSelection[] = [];
  const membersOf = function* (name: string, selected: SelectedList["nodes"]): Work<readonly Member[]> {
    const members: Member[] = [];
    for (const each of planner.fields(name, selected)) {
      const place = each.name === "node" ? selections.push(yield* planner.objects({ target: type, nodes: each.nodes })) - 1 : -1;
      members.push({ ...each, place, members: each.name === "hits" ? yield* membersOf(`${type.name}Hit`, each.nodes) : [] });
    }
    return members;
  };
  const members = yield* membersOf(`${type.name}Ranking`, nodes);
  return {
    arguments: given,
    selections,
    cost: () => 1_000,
    print: (printer) => ({ what: `rank by ${field.stored}`, below: printer.conditions(type, given) }),
    *bind(binder) {
      const { matching, filter, first, offset } = given.values(binder.variables);
      const target = yield* binder.target({ type, filter });
      const objects: BoundObjects[] = [];
      for (const selection of selections) objects.push(yield* binder.objects(selection));
      const page = { from: Math.max(0, Number(offset ?? 0)), count: Math.max(0, Number(first ?? 10)) };
      return {
        *read(reader) {
          const rankings: Ranking[] = [];
          for (const texts of yield* textsWith(String(matching), { target, field }, reader))
            rankings.push(yield* ranked(texts, String(matching), page));
          const uids = [...new Set(rankings.flatMap(({ hits }) => hits.map(({ uid }) => uid)))];
          const rows: NodeRows[] = [];
          for (const each of objects) rows.push(yield* reader.load(each, uids));
          return { write: (source, writer) => rankingText(members, rankings[source] ?? { total: 0, hits: [] }, { type, rows, writer }) };
        },
      };
    },
  };
}

interface Text {
  readonly uid: Uid;
  readonly text: string;
}

/** The texts with one of the words, of objects that pass the filter and that the caller may see: one list for each object around. */
function* textsWith(
  matching: string,
  { target, field }: { readonly target: BoundTarget; readonly field: ValueField },
  reader: StepReader,
): Work<readonly (readonly Text[])[]> {
  const { from, end = "" } = reader.parents;
  const tokens = [...new Set(words(matching))];
  if (tokens.length > maxWords) throw new QuernError("VALUE_INVALID", `matching has ${tokens.length} words; at most ${maxWords} can be ranked by.`);
  if (target.types.length === 0) return (from ?? [0]).map(() => []);
  const where = and(target.where, { kind: "lookup", index: indexOf(field), match: "any", tokens });
  const request = { types: target.types, where, fields: [field.stored] };
  const links = from && (yield* wait(reader.snapshot.follow({ from, end, ...request })));
  const batch = links?.nodes ?? (yield* wait(reader.snapshot.find(request)));
  // A text that is hidden from the caller has no words.
  const [texts = []] = (yield* reader.shown(batch, target, [field.stored])).columns;
  const found = batch.uids.map((uid, row) => ({ uid, text: texts[row] })).map(({ uid, text }) => (typeof text === "string" ? [{ uid, text }] : []));
  if (!links) return [found.flat()];
  return links.starts.slice(1).map((stop, source) => links.rows.slice(links.starts[source], stop).flatMap((row) => found[row] ?? []));
}

interface Ranking {
  readonly total: number;
  readonly hits: readonly { readonly uid: Uid; readonly score: number }[];
}

/** How rare a word is, is counted among these texts alone: others would show themselves through the scores. */
function* ranked(texts: readonly Text[], matching: string, page: { readonly from: number; readonly count: number }): Work<Ranking> {
  const scorer = new MiniSearch<Text>({ idField: "uid", fields: ["text"], tokenize: words, processTerm: (word) => word });
  for (let done = 0; done < texts.length; done += 50) {
    scorer.addAll(texts.slice(done, done + 50));
    yield;
  }
  const hits = scorer.search(matching).map(({ id, score }) => ({ uid: Number(id), score }));
  hits.sort((a, b) => b.score - a.score || a.uid - b.uid);
  return { total: hits.length, hits: hits.slice(page.from, page.from + page.count) };
}

interface Writing {
  readonly type: NodeType;
  /** By place of a selection. */
  readonly rows: readonly NodeRows[];
  readonly writer: StepWriter;
}

function rankingText(members: readonly Member[], { total, hits }: Ranking, { type, rows, writer }: Writing): string {
  const nodeText = (place: number, uid: Uid): string | undefined => {
    const row = rows[place]?.rowOf(uid);
    return rows[place] && row !== undefined ? writer.object(rows[place], row) : undefined;
  };
  const hitText = (wanted: readonly Member[], { uid, score }: Ranking["hits"][number]): string =>
    objectText(wanted, ({ key, name, place }) => {
      if (name === "score") return String(score);
      return name === "node" ? (writer.at(key, () => nodeText(place, uid)) ?? "null") : `"${type.name}Hit"`;
    });
  return objectText(members, (member) => {
    if (member.name === "total") return String(total);
    if (member.name !== "hits") return `"${type.name}Ranking"`;
    return writer.at(member.key, () => `[${hits.map((hit, i) => writer.at(i, () => hitText(member.members, hit)) ?? "null").join()}]`) ?? "[]";
  });
}

function objectText(members: readonly Member[], value: (member: Member) => string): string {
  return `${members.map((each) => each.opening + value(each)).join("")}}`;
}
