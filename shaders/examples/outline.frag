// Lines where the surface bends or breaks: the second difference of the inverse distance, which is 0 on a plane.
#include "../common/sets.glsl"
#pragma param outline_width "half width of a line in pixels" 2.0 0.5 4
#pragma param outline_strength "darkness of the lines" 0.8 0 1

PASS uniform sampler2D scene_depth;
PASS uniform Params { float outline_width; float outline_strength; } params;

in vec2 uv;
out vec4 out_scene;

// 1 / distance along the view's axis, in world units: depth = far / (far - near) * (1 - near / distance).
float nearness(vec2 at) {
    float depth = texture(scene_depth, at).r;
    return (1.0 - depth * (view.range.y - view.range.x) / view.range.y) / view.range.x;
}

void main() {
    vec2 pixel = params.outline_width / vec2(textureSize(scene_depth, 0));
    float here = nearness(uv);
    float across = nearness(uv - vec2(pixel.x, 0)) + nearness(uv + vec2(pixel.x, 0)) - 2.0 * here;
    float along = nearness(uv - vec2(0, pixel.y)) + nearness(uv + vec2(0, pixel.y)) - 2.0 * here;
    // Relative to the distance, so that lines do not fade with it. A 32-bit depth at 3000 times the near plane is good
    // for 0.0002 of the distance, four of which may add up: below 0.003 flat ground would show stripes.
    float bend = (abs(across) + abs(along)) / max(here, 1e-6);
    float line = smoothstep(0.003, 0.012, bend) * params.outline_strength;
    out_scene = vec4(vec3(1.0 - line), 1.0);
}
