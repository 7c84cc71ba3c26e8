/** Words that fill slots in every field of work. */
export const COMMON: Readonly<Record<string, readonly string[]>> = {
  boss: [
    "old foreman",
    "first boss",
    "aunt",
    "predecessor",
    "teacher",
    "grandfather",
    "first supervisor",
  ],
  town: [
    "Lerrick",
    "Carrow",
    "Coldwater",
    "Saint Audrey",
    "Halden",
    "Brack",
    "Nether Moss",
    "Pell Harbour",
    "Tarn End",
    "Upper Wick",
    "Fallow Cross",
    "Morrow",
  ],
  season: [
    "in February",
    "in the week before Easter",
    "at the end of a wet August",
    "in the first frost",
    "in that dry October",
    "between the years",
    "in the May floods",
  ],
  colleague: [
    "Bettina",
    "old Marsh",
    "Ignatius",
    "Freya from the store",
    "my colleague Dunstan",
    "Mrs Abel",
    "young Rasmus",
    "Teodora",
  ],
  object: [
    "a thermos",
    "a biscuit tin",
    "half a bicycle",
    "a kitchen chair",
    "a jar of pickles",
    "a pair of dry socks",
    "a parish magazine",
    "an egg timer",
  ],
  listener: [
    "Imogen",
    "a Mr Castle",
    "Dieter",
    "Sunniva",
    "a retired postman",
    "class four",
    "Leopold",
    "two sisters",
  ],
};

/** How an episode begins. */
export const WELCOMES: readonly string[] = [
  "Welcome to Working Parts, the podcast about things that work and the people who see to it. This is number {number}, and it is called {title}.",
  "This is Working Parts, number {number}. I am {host}, and the heating in here is doing something new. Today: {title}.",
  "Hello from a small room with a carpet on the wall. You are listening to Working Parts, number {number}, {title}.",
  "Good day to you, wherever you are washing up. This is Working Parts, which makes number {number}, and this one goes by the name of {title}.",
  "I am {host}, and this is Working Parts, where we ask people about the part of the job that nobody sees. Number {number}: {title}.",
];

/** How a guest is introduced. */
export const INTRODUCTIONS: readonly string[] = [
  "With me is {name}, {role} at {company}.",
  "My guest is {role} at {company}, and goes by the name of {name}.",
  "I have driven a long way to sit across from {name}, {role} at {company}.",
  "Next to me sits {name}. That is the {role} of {company}, for those who do not know, and you all will by the end.",
  "{name} is here, from {company}, where the sign on the door says {role}.",
];

/** How a guest says hello. */
export const HELLOS: readonly string[] = [
  "Thank you for having me. I have never seen a microphone with a tea cosy before.",
  "Hello. I should say that I have left {colleague} in charge, so we may be interrupted.",
  "It is good to sit down. I came straight from {act}, you must excuse the boots.",
  "Good morning. I was told that there would be biscuits.",
  "Thank you. I have listened to all of them, mostly {site}, and I talk back at you.",
  "I am glad to be here. I have brought {object}, I shall explain later.",
];

/** What the host says between two answers. */
export const REACTIONS: readonly string[] = [
  "Go on.",
  "That is not what I expected you to say.",
  "And then?",
  "I can hear the rain in that sentence.",
  "Who else was there?",
  "You say that very calmly.",
  "How do you mean?",
  "I am writing that down.",
  "So what did you do about it?",
  "I think we have all met somebody like that.",
  "Let me stay with that for a second. What did it look like?",
  "Is that common, or is it only you?",
  "I should not laugh.",
  "And did it help?",
  "I did not know that, and I have lived here all my life.",
  "Would you say that to {people}?",
  "What does {colleague} think of it?",
  "That is the first time anyone has said that on this show.",
  "How long does that take?",
  "And nobody had noticed.",
  "You are smiling.",
  "There is a pause in there that I would like to ask about.",
  "I would have run.",
  "Which of the two is worse?",
];

/** How the host makes room for the sponsor. */
export const SPONSOR_BREAKS: readonly string[] = [
  "We stop for a minute, because somebody has to pay for the carpet. This one is brought to you by {sponsor}, {line}. Back to {first}.",
  "A word of thanks to {sponsor}, {line}. They have never once asked me to say it with more feeling.",
  "While {first} looks for the {tool}: this show is kept alive by {sponsor}, {line}.",
  "Our friends at {sponsor} are paying for the tea today. {sponsor}, {line}.",
];

/** How the host puts a question to two guests. */
export const DEBATE_OPENINGS: readonly string[] = [
  "I have the two of you here, so let me put something on the table: {question}?",
  "Now to what I really wanted to ask you both. The question is: {question}?",
  "This is where I sit back. Tell me, each of you: {question}?",
];

/** How the host asks for a prediction. */
export const PREDICTION_QUESTIONS: readonly string[] = [
  "Look ahead for me, and put a number on it.",
  "You know that I collect predictions. What is yours, and how sure are you?",
  "I shall hold you to the next one. What is coming?",
  "Give me something that we can check in a few years.",
];

/** How sure a guest is; `{odds}` is a number in words. */
export const ODDS: readonly string[] = [
  "I would put that at {odds} in ten.",
  "If you make me bet, {odds} in ten.",
  "Call it {odds} chances in ten.",
  "{odds} in ten, and I would not go higher.",
];

/** The closing question. */
export const CLOSING_QUESTIONS: readonly string[] = [
  "We always end in the same way. What should people pick up when they put us down?",
  "Leave us with something. A book, a tool, whatever has earned its place.",
  "Last question, you know it. What do you press on people?",
  "Before you go, and you may not say your own: what would you recommend?",
];

/** How the host passes on a listener's letter with a title. */
export const LISTENER_TITLES: readonly string[] = [
  'While you think about it, {listener} from {town} swears by "{title}". I have not opened it yet.',
  'And {listener}, who writes to us from {town}, would like me to mention "{title}". So there it is.',
];

/** The host's last words. */
export const GOODBYES: readonly string[] = [
  "Thank you, {firsts}. That was Working Parts, and we are back in two weeks. Look after something.",
  "That is all. Thank you, {firsts}, and thank you for listening. If it works, somebody was there.",
  "{firsts}, thank you. The next one comes in a fortnight, if the tape holds. Good night.",
];
