/** A stretch of conversation: what the host asks, what the guest answers, and what comes after. */
export interface Segment {
  readonly questions: readonly string[];
  readonly answers: readonly string[];
  readonly more: readonly string[];
}

/** Stretches about the work itself. */
export const WORK_SEGMENTS: readonly Segment[] = [
  {
    questions: [
      "How did you come to {trade} in the first place?",
      "Nobody dreams of {trade} as a child. What happened?",
      "Take me back to your first day.",
      "Was there a moment when you knew that this was it?",
    ],
    answers: [
      "By accident, like everybody decent. I was {#17-29}, I needed {#2-8} months of rent, and my {boss} needed somebody who was not afraid of {act}.",
      "My {boss} took me along one morning, put the {tool} in my hand and went off for a smoke. When they came back I had found {fault}, and I was not allowed to leave again.",
      "I had studied something quite different in {town} and was very bad at it. The advertisement said: must like {act}. I did not know whether I did.",
      "There was {thing} behind the house I grew up in. I used to sit there instead of going to school, and in the end they paid me for it.",
      "I wanted to be outdoors, or so I told people. What I wanted was to be left in peace with {thing} for an afternoon.",
      "It was meant to be one summer. That was {#9-31} years ago, and my coat is still on the same hook.",
    ],
    more: [
      "On the first day I was sent to fetch the long weight. I waited for an hour before I understood.",
      "What kept me was not the {things}, it was the way in which people talked to each other {site}.",
      "I remember {sign}, and that I said nothing about it as I was new. I have said everything since.",
      "My mother still tells people that I work in an office.",
      "I would do the same again, with warmer socks.",
    ],
  },
  {
    questions: [
      "What does a usual day look like?",
      "Walk me through a morning.",
      "What were you doing yesterday at this time?",
      "When the alarm rings, what comes first?",
    ],
    answers: [
      "I am {site} before {#5-7}, since that is when nobody has had an idea yet. There is an hour of {act}, and then I write down what I saw.",
      "There is a list of {#11-60} {things}, and the first thing I do is to cross out those that somebody has looked at without telling me.",
      "Yesterday it was {act} until noon, and {act} after that, and in between I ate a sandwich {site}.",
      "I go round once without tools. You would be surprised how much of {trade} is walking and not touching.",
      "The mornings are for the {part} and the afternoons are for the telephone. If it is the other way round, something has broken.",
      "I ask whoever had the night what they would rather not tell me. Then I make the tea, and then they tell me.",
    ],
    more: [
      "At about ten {colleague} comes by with {object}, and that is a meeting, though nobody would call it one.",
      "It is not exciting, and I have arranged my life so that it will not become exciting.",
      "If I have to run, I have made a mistake the week before.",
      "By four the light is gone {season}, and what you find by lamp you find again in the morning.",
      "I keep a diary of it, one line a day, and on most days the line says: as expected.",
    ],
  },
  {
    questions: [
      "Tell me about a day on which it went wrong.",
      "What is the worst that has happened on your watch?",
      "Everybody has one story that they do not tell at weddings. What is yours?",
      "When did you last get a proper fright?",
    ],
    answers: [
      "It was {season}, in {town}, and there was {fault} that I had seen and had put down for the next round. The next round came {#2-9} days too late.",
      "We had {fault}, which is nothing, and a new {part}, which is nothing, and a colleague with a cold. Three nothings make a Tuesday that I still dream of.",
      "I had trusted the {tool} over my own nose. There had been {sign} for a week, and I explained it away, and I am good at explaining.",
      "The telephone rang at {#2-5} in the morning, and a voice said: it is doing it again. I had not known that it had done it before.",
      "Nobody was hurt, I shall say that first. {#3-40} {things} had to be taken out of use before breakfast, and I was the one to ring {people}.",
      "I signed for {thing} that I had looked at from one side. It is the other side that I could draw for you now from memory.",
    ],
    more: [
      "We sat {site} afterwards and went through it minute by minute, and nobody raised a voice. That is how I knew it was serious.",
      "What we changed was one line on a card. It took {#4-14} months to agree on the line.",
      "The {part} is on my shelf at home. I dust it, and it looks at me.",
      "I tell it to every apprentice, and I tell it against myself, or it would be of no use.",
      "It cost us {#12-95} thousand, and the cheap part of it was the {part}.",
      "The one who saw it first was {colleague}, who had been told not to bother me.",
    ],
  },
  {
    questions: [
      "What do people get wrong about {trade}?",
      "If you could take one belief away from everyone, which would it be?",
      "What do you hear at parties?",
      "What do films do with your job?",
    ],
    answers: [
      "That it is about strength, or about nerves. It is about {act} when you would rather be {act}.",
      "They think that {things} last until they break. They are breaking all the time, and most of what I do is to ask them to be slow about it.",
      "People suppose there is somebody in a room with a big screen who sees all of it. There is a room, and in it there are {object} and a very old chair.",
      "At parties I am asked whether it is dangerous. I say that the road to {town} is dangerous, and {site} I know where to put my feet.",
      "They believe that new ones need no looking after. A new one has not told you its bad habits yet.",
      "In films it is always {fault} and a man who runs. In life it is {sign} and somebody who sits down to think.",
    ],
    more: [
      "I do not mind it. If {people} knew how it was done, they would sleep no better.",
      "The other belief is that it is all written down somewhere. I wish I knew where.",
      "I have stopped correcting them, except for my nephew, who is {#6-12}.",
      "My favourite letter said that a child could do it. I wrote back and asked whether the child was free on Thursdays.",
    ],
  },
  {
    questions: [
      "Give me a number that tells me something.",
      "How big is all this, if one counts?",
      "I like numbers. Do you have one for me?",
      "What do you count?",
    ],
    answers: [
      "We are {#3-48} people for {#200-990} {things}, and on any day {#2-9} of us are ill, or at a wedding, or looking for the van.",
      "One {part} in {#30-300} fails in its first year, and after that you can forget them for {#8-25} years. It is the first year that nobody pays for.",
      "I once added up my time {site}. It came to {#14-77} weeks, and I had been dry for about half of it.",
      "There were {#110-480} calls last year, and {#60-95} of them were the same call.",
      "A good one lasts {#20-90} years. We plan for {#10-19}, the budget is made for {#2-5}, and the person who makes the budget stays for {#1-4}.",
      "{#40-99} in a hundred need nothing but to be looked at. I cannot tell you beforehand which.",
    ],
    more: [
      "I distrust round ones. If somebody tells me fifty, I ask when they counted.",
      "The number that I would like to know is how often somebody noticed {sign} and did not ring.",
      "They are in a book, and the book is {site}, and it is in pencil.",
      "When I began it was a third of that, with the same number of chairs.",
    ],
  },
  {
    questions: [
      "Show me a tool that you would not give away.",
      "What is in your bag?",
      "If there is a fire, what do you carry out?",
      "You have brought something along. What is it?",
    ],
    answers: [
      "This is my {tool}. It belonged to my {boss}, and to someone before that, and there is nothing of it that has not been replaced, some of it {#2-4} times.",
      "The {tool}, a rag, and {object}. Two of them are for the {things}, and one of them is for me.",
      "You will laugh, it is a pencil. Everything else {site} either rusts or needs charging.",
      "The new {tool} can do {#5-30} things, and I use two. The old one could do one, and I use that.",
      "I carry a mirror on a stick. {#7-9} times in ten {fault} sits on the side that you are not on.",
      "My ears, and I am not joking. I have them tested {season}, and I pay for it myself.",
    ],
    more: [
      "If you lend it out, it comes back as a different tool.",
      "I have tried to buy a second one, and they no longer make them, as they lasted.",
      "{colleague} has one with a screen, and we have a race every year, and I shall not say who wins.",
      "You learn what it can do in a week, and what it cannot do in {#5-15} years.",
      "It hangs on a nail {site}, and there is an outline painted round it, so that its absence is louder than its presence.",
    ],
  },
  {
    questions: [
      "Who taught you?",
      "Who do you hear in your head when you are unsure?",
      "Is there somebody without whom you would not be here?",
      "Tell me about a teacher.",
    ],
    answers: [
      "A woman from {town} who said about {#4-9} sentences a day. One of them was always a question, and it was always the right one.",
      "My {boss}. I was never praised, but one day I was handed the key to {site}, and I sat in the van and wept a little.",
      "{colleague}, who could not read a drawing and never needed to. If there was {fault}, that hand was on it before mine was out of the glove.",
      "There was a retired engineer who came by on Wednesdays with cake. I understood only after the funeral that it had never been about cake.",
      "I learned most from a man who was nearly always wrong, and who wrote down each time why.",
    ],
    more: [
      "I still hear: look again, and this time want to find something.",
      "What I was taught is that {act} is not waiting for the real work, it is the real work.",
      "Today I have {#2-4} apprentices of my own, and I catch myself using the same pauses.",
      "The best advice was to leave {site} tidier than my mood.",
      "I once asked what the secret was. The answer was: go home at six.",
    ],
  },
  {
    questions: [
      "What happens when you do everything right?",
      "How does one know that you were there?",
      "Does anybody say thank you?",
      "What does success look like from where you stand?",
    ],
    answers: [
      "Nothing happens, and that is what I am paid for. It is hard to send an invoice for nothing.",
      "{people} complain about something else. That is the sound of my job being done.",
      "Once in {#4-12} years somebody writes. I have {#3-9} letters, and they are in the drawer with the {tool}.",
      "You cannot photograph it. I have tried, for the annual report, and it was a picture of {thing} and some rain.",
      "There is a cake on the day on which nothing has gone wrong for {#100-900} days. We have had to eat it early once.",
    ],
    more: [
      "I would worry if they noticed me.",
      "The nicest thing I was ever told is: oh, does somebody do that?",
      "There is a kind of pride that has no audience, and it keeps very well.",
      "My daughter put it in a school essay. It said that my job is that she need not know about it.",
    ],
  },
  {
    questions: [
      "Let us talk about money.",
      "Who pays for this?",
      "What would you do with twice the budget?",
      "What is it that you can never get paid?",
    ],
    answers: [
      "You can always get money for a new {part}, and there is a ribbon. Nobody has yet cut a ribbon on {act}.",
      "It costs about as much as a cup of coffee for everyone in {town}, once a year. I have offered to bring the coffee.",
      "Twice? I would spend the one half on the ones who are {act} tonight, and put the other half in a tin.",
      "We pay for it either way. You may pay {#20-80} a week for the looking, or {#30-400} thousand on a Sunday for not having looked.",
      "Every {#4-6} years someone finds out that we could do without the stock of spare parts. Every {#5-8} years someone finds out that we could not.",
    ],
    more: [
      "I put a price on the box in the store, so that people see what lies around there, and it has helped.",
      "The bill comes from {town}, and I have never met the person who signs it. I imagine a beard.",
      "If it is in the budget as an emergency, it will be one.",
      "I sat on that committee for {#2-7} years. They are good people, and it is a very warm room.",
    ],
  },
];
