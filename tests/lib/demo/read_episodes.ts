/** Reads the corpus again, independently of the generator: what a careful reader's code would do. */

/** A turn as printed. */
export interface ReadTurn {
  readonly seconds: number;
  readonly speaker: string;
  readonly said: string;
}

/** An episode as printed. */
export interface ReadEpisode {
  readonly number: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly guests: readonly {
    readonly name: string;
    readonly role: string;
    readonly company: string;
  }[];
  readonly minutes: number;
  readonly turns: readonly ReadTurn[];
}

/** Reads all episodes of a corpus; throws at a line that is neither header nor turn. */
export function readEpisodes(text: string): ReadEpisode[] {
  return text.split("=== EPISODE ").slice(1).map((part) => {
    const [first = "", ...lines] = part.split("\n");
    const fields: Record<string, string> = {};
    const turns: ReadTurn[] = [];
    for (const line of lines) {
      const turn = /^\[(\d\d):(\d\d):(\d\d)\] (\p{Lu}+): (\S.*)$/u.exec(line);
      const field = /^(\w+): (.+)$/.exec(line);
      if (turn) {
        const [, h, m, s, speaker = "", said = ""] = turn;
        turns.push({ seconds: Number(h) * 3600 + Number(m) * 60 + Number(s), speaker, said });
      } else if (field) fields[field[1]!] = field[2]!;
      else if (line !== "") throw new Error(`Neither header nor turn: ${line.slice(0, 80)}`);
    }
    const listed = fields["Guests"] ?? fields["Guest"] ?? "";
    const [, hours = "0", minutes = ""] = /^(?:(\d) h )?(\d+) min$/.exec(fields["Length"] ?? "")!;
    return {
      number: parseInt(first),
      fields,
      guests: listed.split("; ").map((guest) => {
        const [, name = "", role = "", company = ""] = /^(.+) \((.+), (.+)\)$/.exec(guest)!;
        return { name, role, company };
      }),
      minutes: Number(hours) * 60 + Number(minutes),
      turns,
    };
  });
}

/** How turns name a speaker. */
export function labelOf(name: string): string {
  return name.split(" ")[0]!.toUpperCase();
}
